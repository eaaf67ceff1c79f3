import { type CivilDate, daysBetween, endOfGrain, WEEKDAYS, weekdayOf } from '../../../domain/civil-date.ts';
import { unreachable } from '../../../domain/errors.ts';
import type { BudgetId } from '../../../domain/ids.ts';
import { type ColumnValue, type MemberDemand, sumName } from '../../../domain/member.ts';
import { MICROS_PER_UNIT, type Micros } from '../../../domain/micros.ts';
import { parseDecimal, rational } from '../../../domain/rational.ts';
import { counted } from '../../../domain/wording.ts';
import type { CheckedValue, ClockName, MetricUse } from '../check/checked-expression.ts';
import { windowText } from '../language/window.ts';
import { compilePace, type OfTargets, type PaceFinding } from '../pacing/evaluate-pace.ts';
import type { Rule } from '../rule.ts';
import {
  compileCondition,
  compileValue,
  isNegative,
  type Truth,
  truth,
  type Value,
  type ValueSource,
} from './evaluate-condition.ts';
import type { EvaluatedAccount } from './evaluated-account.ts';
import type { Findings } from './explain.ts';
import { DAYS_LEAST, type Figures, type MetricPlace } from './figures.ts';
import { allOf, truthByDay } from './lasting.ts';
import { type RulePlan, summedColumn } from './plan-rule.ts';
import { type AccountCalendar, describeDays, listDays, type WindowDays } from './resolve-window.ts';
import type { Candidate } from './subjects.ts';

export interface CompiledRule {
  readonly rule: Rule;
  /** Indexes into `MemberDemand.stretches`. */
  readonly newestFirst: readonly number[];
  readonly where: ((figures: Figures) => Truth) | undefined;
  readonly when: (figures: Figures) => Truth;
  /** Text such as "true on 2026-11-18 and 2026-11-19". Undefined if the condition must be true on only one day. */
  lasting(figures: Figures): string | undefined;
  findingsOf(figures: Figures, currency: string | undefined): Findings;
  readonly days: string;
  readonly paceOf: ((candidate: Candidate) => PaceFinding | undefined) | undefined;
  /** The new amounts of budgets that give or receive. Undefined unless the accounts have decided a reallocation. */
  readonly moves: ReadonlyMap<BudgetId, Micros> | undefined;
  /** The first day that the rule reads. */
  readonly since: CivilDate;
}

/** Rules that use the same sum share a slot in {@link Figures}. */
export type SlotOf = (place: MetricPlace) => number;

export function numberSlots(): SlotOf {
  const slots = new Map<string, number>();
  return ({ metric, divisor, measure, isRange, stretches }) => {
    const key = [metric, divisor, measure, isRange, stretches.join()].join(' ');
    const slot = slots.get(key) ?? slots.size;
    slots.set(key, slot);
    return slot;
  };
}

export function compileRule(
  plan: RulePlan,
  demand: MemberDemand,
  slotOf: SlotOf,
  account: EvaluatedAccount,
  ofTargets: OfTargets | undefined,
): CompiledRule {
  const { rule } = plan;
  const newestFirst = stretchesOf(plan.days, demand).reverse();
  const source = sourceOf(plan, demand, slotOf, account);
  const where = rule.where && compileCondition(rule.where.tree, source);
  const byDay = [plan, ...plan.earlier].map((one): { day: CivilDate; when: CompiledRule['when'] } => ({
    day: one.asOf,
    // A pacing rule can omit "when".
    when: rule.when ? compileCondition(rule.when.tree, sourceOf(one, demand, slotOf, account)) : () => 'true',
  }));
  const readers = new Map<CheckedValue, (figures: Figures) => Value>();
  const readerOf = (tree: CheckedValue) => {
    const known = readers.get(tree);
    const reader = known ?? compileValue(tree, source);
    if (known === undefined) readers.set(tree, reader);
    return reader;
  };
  return {
    rule,
    newestFirst,
    days: describeAll(plan),
    paceOf: compilePace(plan, demand, account, ofTargets),
    moves: movesOf(rule, ofTargets),
    since: plan.days[0] ?? plan.asOf,
    where,
    when: allOf(byDay.map(({ when }) => when)),
    lasting: (figures) =>
      byDay.length > 1 ? truthByDay(byDay.map(({ day, when }) => ({ day, truth: when(figures) }))) : undefined,
    findingsOf: (figures, currency) => ({
      valueFor: (tree) => readerOf(tree)(figures),
      truthOf: (tree) => compileCondition(tree, source)(figures),
      daysOf: (use) => daysOf(use, plan),
      sumOf: (use) => {
        const place = placeFor(use, plan, demand);
        return figures.metric(slotOf(place), place);
      },
      whyUnknown: (use) => whyUnknown(use, plan, figures.countStretches(placeFor(use, plan, demand).stretches)),
      hasLabel: (name) => account.labels?.has(name) === true,
      whyNoBudget: whyNoBudget(rule, figures),
      currency,
    }),
  };
}

function movesOf({ target = '' }: Rule, ofTargets: OfTargets | undefined): CompiledRule['moves'] {
  const part = ofTargets?.kind === 'decided' ? ofTargets.parts.get(target) : undefined;
  return part?.kind === 'reallocated' ? part.moves : undefined;
}

function stretchesOf(days: readonly string[], { stretches }: MemberDemand): number[] {
  const held = new Set(days);
  return stretches.flatMap(({ from }, index) => (held.has(from) ? index : []));
}

function sourceOf(
  plan: RulePlan,
  demand: MemberDemand,
  slotOf: SlotOf,
  { labels }: Pick<EvaluatedAccount, 'labels'>,
): ValueSource<Figures> {
  const newestFirst = stretchesOf(plan.days, demand).reverse();
  return {
    metric: (use) => {
      const place = placeFor(use, plan, demand);
      const slot = slotOf(place);
      return (figures) => {
        const sum = figures.metric(slot, place);
        return use.neverNegative && isNegative(sum) ? undefined : sum;
      };
    },
    attribute: (column, inMicros) => {
      const index = demand.attributes.indexOf(column);
      return (figures) => readAttribute(figures.attribute(index, newestFirst), inMicros);
    },
    labelled: (tree, name) => {
      const index = tree.kind === 'attribute' ? demand.attributes.indexOf(tree.column) : -1;
      const wanted = (labels?.get(name) ?? []).map((label) => JSON.stringify(label));
      return (figures) => {
        const held = figures.attribute(index, newestFirst);
        // Campaigns of one budget can have different labels.
        if (held === null && figures.members.length > 1) return 'unknown';
        return truth(typeof held === 'string' && wanted.some((label) => held.includes(label)));
      };
    },
    budget: () => (figures) => figures.budget,
    clock: (name) => clockValue(name, plan.calendar),
    isOpen: ({ window }) => plan.windows.get(windowText(window))?.days.kind === 'none',
  };
}

function placeFor(use: MetricUse, plan: RulePlan, demand: MemberDemand): MetricPlace {
  const { type, inMicros, measure } = use;
  const days = daysOf(use, plan);
  const sum = sumName(summedColumn(use, plan.windows, plan.rule.columns));
  return {
    measure,
    metric: demand.metrics.findIndex((metric) => sumName(metric) === sum),
    divisor: (type === 'DOUBLE' ? MICROS_PER_UNIT : 1n) * (inMicros ? MICROS_PER_UNIT : 1n),
    stretches: stretchesOf(listDays(days), demand),
    isRange: days.kind === 'range',
  };
}

function clockValue(name: ClockName, { today, hour }: Pick<AccountCalendar, 'today' | 'hour'>): Value {
  switch (name) {
    case 'weekday':
      return WEEKDAYS[weekdayOf(today) - 1];
    case 'day_of_month':
      return rational(BigInt(today.slice(8)));
    case 'days_left':
      return rational(BigInt(daysBetween(today, endOfGrain('month', today)) + 1));
    case 'hour':
      return hour === undefined ? undefined : rational(BigInt(hour));
    default:
      return unreachable(name);
  }
}

function readAttribute(value: ColumnValue, inMicros: boolean): Value {
  if (value === null || typeof value === 'string') return value ?? undefined;
  if (typeof value === 'bigint') return { n: value, d: inMicros ? MICROS_PER_UNIT : 1n };
  return parseDecimal(String(value)) ?? parseDecimal(value.toFixed(20));
}

const NO_DAYS: WindowDays = { kind: 'none', reason: 'the window has no days' };

function daysOf({ window }: MetricUse, { windows }: RulePlan): WindowDays {
  return windows.get(windowText(window))?.days ?? NO_DAYS;
}

function whyUnknown(use: MetricUse, plan: RulePlan, held: number): string {
  const { measure } = use;
  const days = daysOf(use, plan);
  if (days.kind === 'none') return days.reason;
  if (held === 0)
    return `no rows ${days.kind === 'range' && days.from !== days.to ? 'in' : 'on'} ${describeDays(days)}`;
  if (use.impressions !== undefined)
    return 'the service gave no exact share for a day: less than 10% was shown, or more than 90% lost';
  if (measure === 'sum' || held >= DAYS_LEAST[measure])
    return `rows without a value${use.type === 'DOUBLE' ? ', or with one that is infinite or too large' : ''}`;
  return `only ${held} of ${describeDays(days)} ${held === 1 ? 'has' : 'have'} rows`;
}

function whyNoBudget(rule: Rule, { members }: Figures): string {
  if (rule.for !== 'account' || members.length > 0) return 'the budget is not known';
  return rule.where === undefined ? 'no campaign has rows' : '"where" selects no campaign with rows';
}

function describeAll({ rule, windows, days, conversionDays }: RulePlan): string {
  const own = rule.over === undefined ? undefined : windowText(rule.over);
  const parts = [...windows].map(([words, window]) =>
    words === own ? describeDays(window.days) : `${words}: ${describeDays(window.days)}`,
  );
  const text = parts.length > 0 ? parts.join('; ') : (days.at(-1) ?? '');
  return conversionDays === undefined
    ? text
    : `${text} (complete for conversions after ${counted(conversionDays, 'day')})`;
}

export function takesPart({ where, newestFirst }: CompiledRule, { figures }: Candidate): boolean {
  return figures.hasRows(newestFirst) && (where === undefined || where(figures) === 'true');
}
