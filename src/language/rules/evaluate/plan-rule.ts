import { addDays, type CivilDate, type DateRange, nextDay } from '../../../domain/civil-date.ts';
import { type MemberDemand, type MemberGrain, type SummedColumn, sumName } from '../../../domain/member.ts';
import type { Column } from '../../gaql/check/column.ts';
import type { MetricUse } from '../check/checked-expression.ts';
import { type Window, windowText } from '../language/window.ts';
import { daySetsOf, type PacePlan, planPace } from '../pacing/plan-pace.ts';
import type { Rule } from '../rule.ts';
import { valuesOfRule } from './collect-values.ts';
import { type AccountCalendar, comparedDay, listDays, resolveWindow, type WindowDays } from './resolve-window.ts';

export interface RulePlan extends Pick<MemberDemand, 'grain' | 'metrics' | 'attributes'> {
  readonly rule: Rule;
  readonly asOf: CivilDate;
  readonly calendar: Pick<AccountCalendar, 'today' | 'hour'>;
  /** The rule's `over` is first, if the rule has one. */
  readonly windows: ReadonlyMap<string, { readonly window: Window; readonly days: WindowDays }>;
  readonly days: readonly CivilDate[];
  /** Earlier days on which the condition must also be true, newest first. */
  readonly earlier: readonly RulePlan[];
  readonly pace: PacePlan | undefined;
  readonly conversionDays: number | undefined;
}

export interface PlannedAccount extends AccountCalendar {
  readonly settled: (day: CivilDate) => boolean;
}

export function planRule(rule: Rule, calendar: PlannedAccount): RulePlan {
  const values = valuesOfRule(rule);
  const uses = values.flatMap((value) => (value.kind === 'metric' ? [value.metric] : []));
  const windows = new Map<string, { window: Window; days: WindowDays }>();
  for (const window of [...(rule.over === undefined ? [] : [rule.over]), ...uses.map((use) => use.window)]) {
    const words = windowText(window);
    if (!windows.has(words)) windows.set(words, { window, days: resolveWindow(window, rule.over, calendar) });
  }
  const pace =
    rule.change?.kind === 'pace' ? planPace(rule.change.pace, calendar, calendar.settled, rule.byReturn) : undefined;
  const named = [...windows.values()].flatMap((one) => listDays(one.days));
  const days = [...new Set([...named, ...(pace ? [...pace.needed, ...pace.recent] : [])])].sort();
  const grain = grainOf(rule);
  const attributes = values.flatMap((value) => (value.kind === 'attribute' ? [value.column] : []));
  const shown = [...NAMES[grain], ...(pace ? [STATUS] : [])];
  return {
    rule,
    grain,
    calendar,
    windows,
    pace,
    conversionDays: rule.usesConversions ? calendar.conversionDays : undefined,
    asOf: dayOf(rule, windows, calendar),
    // A rule without windows reads only the newest final day.
    days: days.length === 0 && windows.size === 0 ? [calendar.lastSettled] : days,
    metrics: distinct(
      [...uses.map((use) => summedColumn(use, windows, rule.columns)), ...(pace ? spendingOf(rule) : [])],
      sumName,
    ),
    attributes: [...new Set([...attributes, ...shown.flatMap((field) => columnOf(rule.columns, field) ?? [])])],
    earlier: [],
  };
}

export function summedColumn(
  { column, type, impressions, window }: MetricUse,
  windows: RulePlan['windows'],
  columns: readonly Column[],
): SummedColumn {
  const days = windows.get(windowText(window))?.days;
  const hours = columnOf(columns, HOUR);
  const bounded = days !== undefined && days.kind !== 'none' && days.untilHour !== undefined && hours !== undefined;
  return { column, type, impressions, until: bounded ? { hours, hour: days.untilHour } : undefined };
}

/** A window on yesterday gives yesterday, even if its numbers are not final. */
function dayOf({ over }: Rule, windows: RulePlan['windows'], calendar: AccountCalendar): CivilDate {
  const kinds = Array.from(windows.values(), ({ window }) => window.kind);
  if (kinds.includes('yesterday')) return addDays(calendar.today, -1);
  return kinds.includes('same_weekday') && over?.kind !== 'today' ? comparedDay(over, calendar) : calendar.lastSettled;
}

export function demandOf(plans: readonly RulePlan[]): MemberDemand | undefined {
  const [first] = plans;
  if (first === undefined) return undefined;
  const windows = plans
    .flatMap((plan) => [plan, ...plan.earlier])
    .flatMap((plan) => [
      plan.days,
      ...Array.from(plan.windows.values(), ({ days }) => listDays(days)),
      ...(plan.pace ? daySetsOf(plan.pace) : []),
    ]);
  return {
    grain: first.grain,
    ids: IDS[first.grain].flatMap((field) => columnOf(first.rule.columns, field) ?? []),
    stretches: cutStretches(distinct(windows, (days) => days.join())),
    metrics: distinct(
      plans.flatMap(({ metrics }) => metrics),
      sumName,
    ),
    attributes: [...new Set(plans.flatMap(({ attributes }) => attributes))],
  };
}

/** Cuts the days into long ranges, so that each set consists of whole ranges. */
function cutStretches(sets: readonly (readonly CivilDate[])[]): DateRange[] {
  const held = sets.flatMap((days, set) => days.map((day) => ({ day, set })));
  const byDay = [...Map.groupBy(held, ({ day }) => day)].sort(([one], [other]) => (one < other ? -1 : 1));
  const stretches: { from: CivilDate; to: CivilDate; sets: string }[] = [];
  for (const [day, holders] of byDay) {
    const own = holders.map(({ set }) => set).join();
    const last = stretches.at(-1);
    if (last?.sets === own && nextDay(last.to) === day) last.to = day;
    else stretches.push({ from: day, to: day, sets: own });
  }
  return stretches.map(({ from, to }) => ({ from, to }));
}

export const IDS: Readonly<Record<MemberGrain, readonly string[]>> = {
  account: [],
  campaign: ['campaign.id'],
  ad_group: ['ad_group.id'],
  // A criterion's id is unique only within its ad group.
  keyword: ['ad_group.id', 'ad_group_criterion.criterion_id'],
};

export const COST = 'metrics.cost_micros';
export const CLICKS = 'metrics.clicks';
export const VALUE = 'metrics.conversions_value';
export const STATUS = 'campaign.status';
export const HOUR = 'segments.hour';

function spendingOf({ columns, byReturn }: Rule): SummedColumn[] {
  return [COST, CLICKS, ...(byReturn ? [VALUE] : [])].flatMap((field): SummedColumn[] => {
    const column = columnOf(columns, field);
    return column === undefined ? [] : [{ column, type: field === VALUE ? 'DOUBLE' : 'INT64' }];
  });
}

/** True if conversion values can change a result of the rule. The words of an alert decide nothing. */
export function decidesByValue(rule: Rule): boolean {
  const value = columnOf(rule.columns, VALUE);
  const decisive = valuesOfRule({ ...rule, alert: undefined });
  return rule.byReturn === true || decisive.some((one) => one.kind === 'metric' && one.metric.column === value);
}

const NAMES: Readonly<Record<MemberGrain, readonly string[]>> = {
  account: [],
  campaign: ['campaign.name'],
  ad_group: ['campaign.id', 'campaign.name', 'ad_group.name'],
  keyword: ['campaign.id', 'campaign.name', 'ad_group_criterion.keyword.text'],
};

function grainOf({ for: kind, columns }: Rule): MemberGrain {
  if (kind === 'ad_group' || kind === 'keyword') return kind;
  return kind === 'account' && columnOf(columns, 'campaign.id') === undefined ? 'account' : 'campaign';
}

export function columnOf(columns: readonly Column[], field: string): string | undefined {
  return columns.find((column) => column.field === field)?.name;
}

function distinct<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
