import { isMade } from '../../domain/budget-change.ts';
import { addDays, type CivilDate } from '../../domain/civil-date.ts';
import type { CampaignId } from '../../domain/ids.ts';
import type { RecordedDecision } from '../../storage/records/budgets/decision-table.ts';
import type { SeenForeignChange } from '../../storage/records/budgets/foreign-change-table.ts';
import type { Intent } from '../../storage/records/budgets/intent-table.ts';
import type { PublishedData } from '../../storage/warehouse/publish/published-data.ts';
import { sumOfDays } from '../../views/report/pace.ts';
import type { ChangeFacts, DayFacts, PeriodSums } from '../../views/report/report-facts.ts';
import type { BudgetBooks } from './page-budgets.ts';

export type AccountNames = ReadonlyMap<string, string>;

const EFFECT_DAYS = 7;

export interface EffectNumbers {
  readonly file: PublishedData;
  readonly query: string;
  readonly books: BudgetBooks;
  readonly days: ReadonlyMap<string, readonly DayFacts[]>;
}

/**
 * A change without known numbers gets no comparison. Changes by others end it, too, when they are noticed. `intents`
 * must be newest first.
 */
export async function changesWithEffect(
  made: readonly RecordedDecision[],
  intents: readonly Intent[],
  foreign: readonly SeenForeignChange[],
  numbers: EffectNumbers | undefined,
): Promise<ChangeFacts[]> {
  const others = foreign.map((change) => ({ ...change, id: undefined }));
  // On the same day, a change by others counts as newer, so that no comparison includes its amount.
  const all = [...others, ...intents.filter(isMade)].sort((one, other) =>
    other.accountDay.localeCompare(one.accountDay),
  );
  const neighbours = neighboursOf(all);
  const found: ChangeFacts[] = [];
  for (const change of made) {
    const { customerId, budgetId, intent } = change;
    const campaigns = budgetId === undefined ? [] : (numbers?.books.campaignsOf(customerId, budgetId) ?? []);
    const days = numbers?.days.get(customerId);
    if (numbers === undefined || days === undefined || intent === undefined || campaigns.length === 0) {
      found.push({ ...change, before: undefined, after: undefined });
      continue;
    }
    found.push({ ...change, ...(await effectOf(change, { ...numbers, days }, campaigns, neighbours.get(intent.id))) });
  }
  return found;
}

/** Compares complete days before and after the change. */
async function effectOf(
  { accountDay: day, customerId }: RecordedDecision,
  { file, query, days }: Omit<EffectNumbers, 'days'> & { readonly days: readonly DayFacts[] },
  campaigns: readonly CampaignId[],
  { since, until }: Partial<Neighbours> = {},
): Promise<Pick<ChangeFacts, 'before' | 'after'>> {
  const from = addDays(day, -EFFECT_DAYS);
  const to = addDays(day, EFFECT_DAYS);
  const known = days.filter(({ date, state }) => state === 'settled' && date >= from);
  const dates = known.map(({ date }) => date).filter((date) => date <= to);
  const found = await file.daysOfCampaigns(query, customerId, campaigns, from, to);
  const sums = new Map(found.map((one) => [one.date, one]));
  const periodOf = (period: readonly CivilDate[]): PeriodSums => ({
    days: period.length,
    ...sumOfDays(period.flatMap((date) => sums.get(date) ?? [])),
  });
  return {
    before: periodOf(dates.filter((date) => date < day && (since === undefined || date > since))),
    after: periodOf(dates.filter((date) => date > day && (until === undefined || date < until))),
  };
}

export interface Neighbours {
  readonly since: CivilDate | undefined;
  readonly until: CivilDate | undefined;
}

interface Change extends Pick<Intent, 'customerId' | 'budgetId' | 'accountDay'> {
  /** Undefined for a change by others. */
  readonly id: bigint | undefined;
}

/** The keys are change ids. `changes` must be newest first. */
export function neighboursOf(changes: readonly Change[]): ReadonlyMap<bigint, Neighbours> {
  const newer = new Map<string, Change>();
  const found = new Map<bigint, Neighbours>();
  for (const change of changes) {
    const { id, accountDay } = change;
    const key = `${change.customerId} ${change.budgetId}`;
    const next = newer.get(key);
    if (next?.id !== undefined) found.set(next.id, { until: found.get(next.id)?.until, since: accountDay });
    if (id !== undefined) found.set(id, { since: undefined, until: next?.accountDay });
    newer.set(key, change);
  }
  return found;
}
