import type { ColumnValue, MemberDemand } from '../domain/member.ts';
import { MICROS_PER_UNIT, type Micros } from '../domain/micros.ts';
import { parseDecimal, type Rational } from '../domain/rational.ts';
import type { CheckedValue, MetricUse } from './checked-expression.ts';
import { compileCondition, compileValue, type Truth, type Value, type ValueSource } from './evaluate-condition.ts';
import type { Findings } from './explain.ts';
import type { Figures, MetricPlace } from './figures.ts';
import type { RulePlan } from './plan-rule.ts';
import { describeDays, listDays } from './resolve-window.ts';
import type { Rule } from './rule.ts';
import { windowText } from './window.ts';

/** A rule as functions of a subject's figures. */
export interface CompiledRule {
  readonly rule: Rule;
  /** The stretches of its days. */
  readonly newestFirst: readonly number[];
  readonly where: ((figures: Figures) => Truth) | undefined;
  readonly when: (figures: Figures) => Truth;
  /** Values of the change, the limits and the alert. */
  findingsOf(figures: Figures, currency: string | undefined): Findings;
  /** "2026-11-13 to 2026-11-19; previous 7 days: 2026-11-06 to 2026-11-12" */
  readonly days: string;
}

/** Numbers the places of metrics, so that rules which use the same sum share its slot in {@link Figures}. */
export type Slots = Map<string, number>;

export function compileRule(plan: RulePlan, demand: MemberDemand, slots: Slots): CompiledRule {
  const { rule } = plan;
  const stretchesOf = (days: readonly string[]) => {
    const held = new Set(days);
    return demand.stretches.flatMap(({ from }, index) => (held.has(from) ? index : []));
  };
  const newestFirst = stretchesOf(plan.days).reverse();
  const placeOf = (use: MetricUse) => placeFor(use, plan, demand, stretchesOf);
  const source: ValueSource<Figures> = {
    metric: (use) => {
      const place = placeOf(use);
      const key = [place.metric, place.divisor, place.measure, place.isRange, place.stretches.join()].join(' ');
      const slot = slots.get(key) ?? slots.size;
      slots.set(key, slot);
      return (figures) => figures.metric(slot, place);
    },
    attribute: (column, inMicros) => {
      const index = demand.attributes.indexOf(column);
      return (figures) => readAttribute(figures.attribute(index, newestFirst), inMicros);
    },
    budget: () => (figures) => figures.budget,
    isOpen: ({ window }) => plan.windows.get(windowText(window))?.days.kind === 'none',
  };
  const readers = new Map<CheckedValue, (figures: Figures) => Value>();
  const readerOf = (tree: CheckedValue) => {
    const known = readers.get(tree);
    const reader = known ?? compileValue(tree, source);
    if (known === undefined) readers.set(tree, reader);
    return reader;
  };
  return {
    ...{ rule, newestFirst, days: describeAll(plan) },
    where: rule.where && compileCondition(rule.where.tree, source),
    when: compileCondition(rule.when.tree, source),
    findingsOf: (figures, currency) => ({
      valueFor: (tree) => readerOf(tree)(figures),
      whyUnknown: (use) => whyUnknown(use, plan, figures.countStretches(placeOf(use).stretches)),
      whyNoBudget: whyNoBudget(rule, figures),
      currency,
    }),
  };
}

function placeFor(
  { column, type, inMicros, window, measure }: MetricUse,
  plan: RulePlan,
  demand: MemberDemand,
  stretchesOf: (days: readonly string[]) => number[],
): MetricPlace {
  const days = plan.windows.get(windowText(window))?.days;
  const millionths = (type === 'DOUBLE' ? MICROS_PER_UNIT : 1n) * (inMicros ? MICROS_PER_UNIT : 1n);
  return {
    measure,
    metric: demand.metrics.findIndex((metric) => metric.column === column),
    divisor: millionths,
    stretches: days === undefined ? [] : stretchesOf(listDays(days)),
    isRange: days?.kind === 'range',
  };
}

/** TRUE and FALSE are held as 1 and 0. */
function readAttribute(value: ColumnValue, inMicros: boolean): Value {
  if (value === null || typeof value === 'string') return value ?? undefined;
  if (typeof value === 'bigint') return { n: value, d: inMicros ? MICROS_PER_UNIT : 1n };
  return parseDecimal(String(value)) ?? parseDecimal(value.toFixed(20));
}

function whyUnknown({ window, measure }: MetricUse, { windows }: RulePlan, held: number): string {
  const days = windows.get(windowText(window))?.days;
  if (days === undefined) return 'it has no days';
  if (days.kind === 'none') return days.reason;
  if (held === 0)
    return `no rows ${days.kind === 'range' && days.from !== days.to ? 'in' : 'on'} ${describeDays(days)}`;
  return measure === 'deviation' && held < 2
    ? `only ${held} of ${describeDays(days)} has rows`
    : 'rows without a value';
}

/** An account's budgets are those of its campaigns that take part. */
function whyNoBudget(rule: Rule, { members }: Figures): string {
  if (rule.for !== 'account' || members.length > 0) return 'the budget is not known';
  return rule.where === undefined ? 'no campaign has rows' : 'no campaign with rows is chosen by "where"';
}

function describeAll({ rule, windows, days }: RulePlan): string {
  const own = rule.over === undefined ? undefined : windowText(rule.over);
  const parts = [...windows].map(([words, window]) =>
    words === own ? describeDays(window.days) : `${words}: ${describeDays(window.days)}`,
  );
  return parts.length > 0 ? parts.join('; ') : (days.at(-1) ?? '');
}

export function unitsOfBudget(amount: Micros): Rational {
  return { n: amount, d: MICROS_PER_UNIT };
}
