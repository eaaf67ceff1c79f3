import { type CivilDate, civilDateAt, monthStart } from '../../domain/civil-date.ts';
import { stillArriving } from '../../domain/still-arriving.ts';
import type { AccountMonth, MonthTarget } from '../../language/results/account-month.ts';
import type { RunTarget } from '../../storage/records/runs/run-result-table.ts';
import { movers, moverWindows, sumsWithin, type Windows } from './movers.ts';
import { type Pacing, paceOf, perConversion, perMille, returnOnSpend, sumOfConverted, sumOfDays } from './pace.ts';
import type { AccountFacts, CampaignFacts, DayFacts, ReportFacts } from './report-facts.ts';
import { courseOf, sharedTargets } from './shared-targets.ts';

/** Accounts off target come first. */
export function accountMonths({ accounts, targets }: Pick<ReportFacts, 'accounts' | 'targets'>): AccountMonth[] {
  const targetsOf = Map.groupBy(targets?.rows ?? [], ({ customerId }) => customerId);
  const shared = sharedTargets(targets?.rows);
  const months = accounts.map((account) => ({
    ...monthOf(account, targets?.at, targetsOf.get(account.customerId) ?? []),
    memberOf: shared.flatMap(({ rule, members }) => (members.includes(account.customerId) ? [rule] : [])),
  }));
  const rank = ({ target }: AccountMonth) => (target?.off === undefined ? 1 : 0);
  return months.toSorted((one, other) => rank(one) - rank(other));
}

export function accountPace({ days, budget }: Pick<AccountFacts, 'days' | 'budget'>): Pacing | undefined {
  const costs = new Map(days.map(({ date, costMicros }) => [date, costMicros]));
  return paceOf(days, budget?.dailyMicros, (date) => costs.get(date));
}

function monthOf(
  account: AccountFacts,
  at: string | undefined,
  targets: readonly RunTarget[],
): Omit<AccountMonth, 'memberOf'> {
  const { customerId, name, currency, timeZone = 'UTC', days, lag, campaigns = [] } = account;
  const pace = accountPace(account);
  const settled = settledIn(days, pace);
  const { conversions, conversionsValue } = sumOfDays(settled);
  const converted = sumOfConverted(settled, lag);
  const windows = moverWindows(days);
  const byDay = new Map(days.map((day) => [day.date, day]));
  const [week, weekBefore] = windows ? [sumsWithin(byDay, windows.now), sumsWithin(byDay, windows.before)] : [];
  const today = at === undefined ? undefined : civilDateAt(Date.parse(at), timeZone);
  const known = targets.flatMap((target) => (today && monthTarget(target, monthStart(today), pace)) ?? []);
  const [target] = known.toSorted((one, other) => distance(other) - distance(one));
  return {
    customerId,
    name,
    currency,
    month: pace?.month.from,
    completeUntil: pace?.newest,
    lackedDays: pace === undefined ? 0 : pace.daysGone - pace.daysSettled,
    spent: pace?.spent,
    monthEnd: (target?.isWhole ? target.projected : undefined) ?? pace?.projected,
    cap: pace?.idealOfMonth,
    week: week?.costMicros,
    weekBefore: weekBefore?.costMicros,
    conversions,
    arriving: lag && stillArriving(settled, lag),
    cpa: perConversion(converted),
    conversionsValue: pace && conversionsValue,
    roas: returnOnSpend(converted),
    target,
    moreTargets: Math.max(0, known.length - 1),
    driver: windows && driverOf(campaigns, windows),
  };
}

function settledIn(days: readonly DayFacts[], pace: Pacing | undefined): readonly DayFacts[] {
  if (pace === undefined) return [];
  const isIn = (date: CivilDate) => date >= pace.month.from && date <= pace.month.to;
  return days.filter(({ date, state }) => state === 'settled' && isIn(date));
}

function driverOf(campaigns: readonly CampaignFacts[], windows: Windows): string | undefined {
  const found = movers(campaigns, windows);
  const rises = found.reduce((sum, { change }) => sum + change, 0n) > 0n;
  const driver = found.find(({ change }) => change > 0n === rises)?.campaign;
  return driver && calledCampaign(driver);
}

export function calledCampaign({ name, campaignId }: CampaignFacts): string {
  return name ?? `campaign ${campaignId}`;
}

function monthTarget(row: RunTarget, month: CivilDate, pace: Pacing | undefined): MonthTarget | undefined {
  const { rule, spent, covers } = row;
  const course = courseOf(row);
  if (course === undefined) return undefined;
  // Equal spend shows that the target covers the whole account, but not if both are zero.
  const isWhole = spent !== undefined && spent > 0n && spent === pace?.spent && month === pace.month.from;
  return { ...course, rule, month, isWhole, covers };
}

function distance({ target, projected, off }: MonthTarget): number {
  const share = Number(perMille(projected, target) ?? 1000n) - 1000;
  return Math.abs(share) + (off === undefined ? 0 : OFF_FIRST);
}

const OFF_FIRST = 1e9;
