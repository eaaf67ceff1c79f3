import { addDays, type CivilDate, type DateRange, nextDay } from '../../domain/civil-date.ts';
import type { MemberDemand, MemberGrain, SummedColumn } from '../../domain/member.ts';
import type { Column } from '../../gaql/check/column.ts';
import { type Window, windowText } from '../language/window.ts';
import { daySetsOf, type PacePlan, planPace } from '../pacing/plan-pace.ts';
import type { Rule } from '../rule.ts';
import { valuesOfRule } from './collect-values.ts';
import { type AccountCalendar, listDays, resolveWindow, type WindowDays } from './resolve-window.ts';

/** What a rule reads of an account on a day. */
export interface RulePlan {
  readonly rule: Rule;
  readonly grain: MemberGrain;
  /** The newest day that it is about. */
  readonly asOf: CivilDate;
  /** The windows that it names, its own first, by {@link windowText}. */
  readonly windows: ReadonlyMap<string, { readonly window: Window; readonly days: WindowDays }>;
  /** All of their days, oldest first. */
  readonly days: readonly CivilDate[];
  readonly metrics: readonly SummedColumn[];
  readonly attributes: readonly string[];
  /** What it would have read on the days before, newest first, where its condition must last. */
  readonly earlier: readonly RulePlan[];
  /** Of a rule that paces. */
  readonly pace: PacePlan | undefined;
}

/** Where the account stands, and which of its days are settled. */
export interface PlannedAccount extends AccountCalendar {
  readonly settled: (day: CivilDate) => boolean;
}

/** Pure: which days of the account the rule reads now, and what of them. */
export function planRule(rule: Rule, calendar: PlannedAccount): RulePlan {
  const values = valuesOfRule(rule);
  const uses = values.flatMap((value) => (value.kind === 'metric' ? [value.metric] : []));
  const windows = new Map<string, { window: Window; days: WindowDays }>();
  for (const window of [...(rule.over === undefined ? [] : [rule.over]), ...uses.map((use) => use.window)]) {
    const words = windowText(window);
    if (!windows.has(words)) windows.set(words, { window, days: resolveWindow(window, rule.over, calendar) });
  }
  const pace = rule.change?.kind === 'pace' ? planPace(rule.change.pace, calendar, calendar.settled) : undefined;
  const named = [...windows.values()].flatMap((one) => listDays(one.days));
  const days = [...new Set([...named, ...(pace ? [...pace.needed, ...pace.recent] : [])])].sort();
  const grain = grainOf(rule);
  return {
    rule,
    grain,
    windows,
    pace,
    asOf: dayOf(windows, calendar),
    // A rule that names no day is about what its subjects are now.
    days: days.length === 0 && windows.size === 0 ? [calendar.lastSettled] : days,
    metrics: distinct(
      [...uses.map(({ column, type }) => ({ column, type })), ...(pace ? spendingOf(rule) : [])],
      ({ column }) => column,
    ),
    attributes: distinct(
      [
        ...values.flatMap((value) => (value.kind === 'attribute' ? [value.column] : [])),
        ...NAMES[grain].flatMap((field) => columnOf(rule.columns, field) ?? []),
        ...(pace ? [STATUS] : []).flatMap((field) => columnOf(rule.columns, field) ?? []),
      ],
      (column) => column,
    ),
    earlier: [],
  };
}

/** What is counted from the account's yesterday is about it, settled or not. */
function dayOf(windows: RulePlan['windows'], { today, lastSettled }: AccountCalendar): CivilDate {
  const isYesterday = ({ kind }: Window) => kind === 'yesterday' || kind === 'same_weekday';
  return [...windows.values()].some(({ window }) => isYesterday(window)) ? addDays(today, -1) : lastSettled;
}

/** What is to be asked of the table for rules of one grain, whatever their number. */
export function demandOf(plans: readonly RulePlan[]): MemberDemand | undefined {
  const [first] = plans;
  if (first === undefined) return undefined;
  const windows = plans
    .flatMap((plan) => [plan, ...plan.earlier])
    .flatMap((plan) => [
      plan.days,
      ...[...plan.windows.values()].map(({ days }) => listDays(days)),
      ...(plan.pace ? daySetsOf(plan.pace) : []),
    ]);
  return {
    grain: first.grain,
    ids: IDS[first.grain].flatMap((field) => columnOf(first.rule.columns, field) ?? []),
    stretches: cutStretches(distinct(windows, (days) => days.join())),
    metrics: distinct(
      plans.flatMap(({ metrics }) => metrics),
      ({ column }) => column,
    ),
    attributes: distinct(
      plans.flatMap(({ attributes }) => attributes),
      (column) => column,
    ),
  };
}

/** The longest stretches of days that each set holds whole or not at all, so that each sum is one of whole stretches. */
function cutStretches(sets: readonly (readonly CivilDate[])[]): DateRange[] {
  const holders = new Map<CivilDate, number[]>();
  sets.forEach((days, set) => {
    for (const day of days) {
      const known = holders.get(day);
      if (known === undefined) holders.set(day, [set]);
      else known.push(set);
    }
  });
  const stretches: { from: CivilDate; to: CivilDate; held: string }[] = [];
  for (const day of [...holders.keys()].sort()) {
    const held = holders.get(day)?.join() ?? '';
    const last = stretches.at(-1);
    if (last?.held === held && nextDay(last.to) === day) last.to = day;
    else stretches.push({ from: day, to: day, held });
  }
  return stretches.map(({ from, to }) => ({ from, to }));
}

/** The fields that tell the members of a grain apart. */
export const IDS: Readonly<Record<MemberGrain, readonly string[]>> = {
  account: [],
  campaign: ['campaign.id'],
  ad_group: ['ad_group.id'],
  // A criterion's id is unique only within its ad group.
  keyword: ['ad_group.id', 'ad_group_criterion.criterion_id'],
};

/** What a rule that paces reads beside what it names. */
export const COST = 'metrics.cost_micros';
export const CLICKS = 'metrics.clicks';
export const STATUS = 'campaign.status';

function spendingOf({ columns }: Rule): SummedColumn[] {
  return [COST, CLICKS].flatMap((field): SummedColumn[] => {
    const column = columnOf(columns, field);
    return column === undefined ? [] : [{ column, type: 'INT64' }];
  });
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

/** The column that holds the field, whatever it is called. */
export function columnOf(columns: readonly Column[], field: string): string | undefined {
  return columns.find((column) => column.field === field)?.name;
}

function distinct<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
