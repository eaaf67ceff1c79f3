import { addDays, type CivilDate, type DateRange, daysOf, monthStart } from '../../domain/civil-date.ts';
import type { DayCalendar } from '../../domain/complete-days.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { MemberDemand } from '../../domain/member.ts';
import { demandsOf } from '../../language/rules/evaluate/evaluate-rules.ts';
import { type Rule, readByQuery } from '../../language/rules/rule.ts';
import {
  asKnownBy,
  type DayRecord,
  type DayTotalsAt,
  evaluatedAt,
  type HowKnown,
  leastCertain,
  readingBefore,
} from '../../language/trial/as-known.ts';
import { DaySums } from '../../language/trial/day-sums.ts';
import type { TrialAccount, TrialDay } from '../../language/trial/trial-account.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { type ReadingOfDay, readingsOf, runReadingsOf } from '../../storage/records/runs/account-days.ts';
import type { Store } from '../../storage/warehouse/store.ts';

type Shape = Omit<MemberDemand, 'stretches'>;

interface DayPlan {
  readonly day: Omit<TrialDay, 'members'>;
  readonly reads: readonly CivilDate[];
}

interface PastAccount {
  readonly trial: TrialAccount;
  readonly calendar: DayCalendar;
  readonly conversionDays: number;
  readonly holidays: ReadonlySet<CivilDate>;
  readonly settled: ReadonlySet<CivilDate>;
}

/** Loads one month at a time to save memory. Call the function with days in ascending order. */
export async function openPastTable(
  { db, warehouse }: Store,
  rule: Rule,
  account: PastAccount,
  days: DateRange,
): Promise<(today: CivilDate) => Promise<{ readonly day: TrialDay; readonly how: HowKnown }>> {
  const { calendar, trial } = account;
  const { timeZone = 'UTC', closesAt } = calendar;
  const { customerId: customer } = trial;
  const { plans, demands } = planDays(rule, account, days);
  const reads = rangeOf([...plans.values()].flatMap((plan) => plan.reads));
  const runs = (await runReadingsOf(db, readByQuery(rule), customer)).map(({ firstAt, lastAt }) => ({
    firstMs: Date.parse(firstAt),
    lastMs: Date.parse(lastAt),
  }));
  const records = reads === undefined ? new Map() : await recordsOf(db, rule, customer, reads);
  const shape = shapeOf(demands);
  const sums = reads && shape && new DaySums(reads.from, shape);
  const seen = new Map<CivilDate, { readonly by: DayTotalsAt | undefined; readonly how: HowKnown }>();
  let loadedMonth: CivilDate | undefined;
  let loadedTo: CivilDate | undefined;

  async function load(today: CivilDate): Promise<void> {
    const month = monthStart(today);
    if (loadedMonth === month || sums === undefined || shape === undefined) return;
    loadedMonth = month;
    const ahead = [...plans].filter(([day]) => day >= month);
    const needed = rangeOf(ahead.filter(([day]) => monthStart(day) === month).flatMap(([, plan]) => plan.reads));
    const oldest = rangeOf(ahead.flatMap(([, plan]) => plan.reads))?.from;
    if (needed === undefined || oldest === undefined) return;
    sums.dropBefore(oldest);
    const before = loadedTo ?? addDays(oldest, -1);
    const range = { from: before < oldest ? oldest : addDays(before, 1), to: needed.to };
    if (range.from > range.to) return;
    for (const one of await warehouse.dayMembers(rule.from, customer, shape, range)) {
      sums.add(one.ids, one.day, one.sums, one.attributes);
    }
    loadedTo = range.to;
  }

  function see(day: CivilDate, atMs: number): HowKnown {
    const record = records.get(day);
    const by = readingBefore(record, atMs);
    const before = seen.get(day);
    // Days come in ascending order, so an earlier result is still valid.
    if (before !== undefined && before.by === by && (before.how === 'known' || !isNow(record, atMs))) return before.how;
    const known = asKnownBy(by, record?.now, shape?.metrics ?? [], atMs);
    sums?.seeAs(day, known.seen);
    seen.set(day, { by, how: known.how });
    return known.how;
  }

  return async (today) => {
    const plan = plans.get(today);
    if (plan === undefined) throw new RangeError(`${today} is not one of the days.`);
    await load(today);
    const atMs = evaluatedAt(today, runs, { timeZone, closesAt });
    const how = leastCertain(plan.reads.map((day) => see(day, atMs)));
    return { day: { ...plan.day, members: (demand) => sums?.members(demand) ?? [] }, how };
  };
}

const isNow = (record: DayRecord | undefined, atMs: number): boolean =>
  record !== undefined && record.now.readMs < atMs;

function planDays(rule: Rule, { trial, calendar, conversionDays, holidays, settled }: PastAccount, days: DateRange) {
  const { customerId, currency } = trial;
  const budgets = trial.byCampaign();
  const plans = new Map<CivilDate, DayPlan>();
  const demands: MemberDemand[] = [];
  for (const today of daysOf(days)) {
    const day: DayPlan['day'] = {
      today,
      lastSettled: addDays(today, -1 - calendar.settleDays),
      conversionDays,
      // Imported history was read after `today`, and still counts.
      settled: (one) => settled.has(one),
      readToday: false,
      holidays,
    };
    const account = { ...day, customerId, currency, budgets, highestOn: () => undefined };
    // A target reads the same days before and after its accounts decide.
    const asked = demandsOf([rule], account, { kind: 'asked', say: () => undefined });
    demands.push(...asked);
    const stretches = asked.flatMap((demand) => demand.stretches);
    plans.set(today, { day, reads: [...new Set(stretches.flatMap(daysOf))] });
  }
  return { plans, demands };
}

async function recordsOf(
  db: StateDb,
  rule: Rule,
  customer: CustomerId,
  days: DateRange,
): Promise<Map<CivilDate, DayRecord>> {
  const { now, record } = await readingsOf(db, readByQuery(rule), customer, days);
  const types = new Map(rule.columns.map(({ name, type }) => [name, type]));
  const ofDay = Map.groupBy(record, ({ date }) => date);
  return new Map(
    now.map((one) => {
      const readings = (ofDay.get(one.date) ?? []).map((reading) => totalsAt(reading, types));
      return [one.date, { now: totalsAt(one, types), readings }];
    }),
  );
}

const MILLION = 1_000_000;

/** Totals are undefined if a recorded total is not a valid number. */
export function totalsAt({ rows, totals, readAt }: ReadingOfDay, types: ReadonlyMap<string, string>): DayTotalsAt {
  const whole = new Map<string, bigint>();
  for (const [column, value] of Object.entries(JSON.parse(totals) as Record<string, unknown>)) {
    const total = types.get(column) === 'DOUBLE' ? millionths(value) : wholeNumber(value);
    if (total === undefined) return { readMs: Date.parse(readAt), rows, totals: undefined };
    whole.set(column, total);
  }
  return { readMs: Date.parse(readAt), rows, totals: whole };
}

function millionths(value: unknown): bigint | undefined {
  const rounded = typeof value === 'number' ? Math.round(value * MILLION) : Number.NaN;
  return Number.isFinite(rounded) ? BigInt(rounded) : undefined;
}

function wholeNumber(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? BigInt(value) : undefined;
}

function rangeOf(days: readonly CivilDate[]): DateRange | undefined {
  const [first] = days;
  if (first === undefined) return undefined;
  let from = first;
  let to = first;
  for (const day of days) {
    if (day < from) from = day;
    if (day > to) to = day;
  }
  return { from, to };
}

function shapeOf(demands: readonly MemberDemand[]): Shape | undefined {
  const [first] = demands;
  if (first === undefined) return undefined;
  const metrics = new Map(demands.flatMap((demand) => demand.metrics.map((metric) => [metric.column, metric])));
  const attributes = new Set(demands.flatMap((demand) => demand.attributes));
  return { grain: first.grain, ids: first.ids, metrics: [...metrics.values()], attributes: [...attributes] };
}
