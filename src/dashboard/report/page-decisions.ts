import { isMade } from '../../domain/budget-change.ts';
import { addDays, type CivilDate } from '../../domain/civil-date.ts';
import type { CampaignId } from '../../domain/ids.ts';
import type { RecordedDecision } from '../../storage/records/budgets/decision-table.ts';
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

/** `intents` must be newest first. A change without known numbers gets no comparison. */
export async function changesWithEffect(
  made: readonly RecordedDecision[],
  intents: readonly Intent[],
  numbers: EffectNumbers | undefined,
): Promise<ChangeFacts[]> {
  const neighbours = neighboursOf(intents);
  const found: ChangeFacts[] = [];
  for (const change of made) {
    const { customerId, budgetId, intent } = change;
    const campaigns = budgetId === undefined ? [] : (numbers?.books.campaignsOf(customerId, budgetId) ?? []);
    if (numbers === undefined || intent === undefined || campaigns.length === 0) {
      found.push({ ...change, before: undefined, after: undefined });
      continue;
    }
    found.push({ ...change, ...(await effectOf(change, numbers, campaigns, neighbours.get(intent.id))) });
  }
  return found;
}

/** Compares complete days before and after the change. */
async function effectOf(
  { accountDay: day, customerId }: RecordedDecision,
  { file, query, days }: EffectNumbers,
  campaigns: readonly CampaignId[],
  { since, until }: Partial<Neighbours> = {},
): Promise<Pick<ChangeFacts, 'before' | 'after'>> {
  const from = addDays(day, -EFFECT_DAYS);
  const to = addDays(day, EFFECT_DAYS);
  const known = (days.get(customerId) ?? []).filter(({ date, state }) => state === 'settled' && date >= from);
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

/** The keys are change ids. `intents` must be newest first. */
export function neighboursOf(intents: readonly Intent[]): ReadonlyMap<bigint, Neighbours> {
  const newer = new Map<string, Intent>();
  const found = new Map<bigint, Neighbours>();
  for (const intent of intents.filter(isMade)) {
    const key = `${intent.customerId} ${intent.budgetId}`;
    const next = newer.get(key);
    const after = next && found.get(next.id);
    if (next !== undefined) found.set(next.id, { until: after?.until, since: intent.accountDay });
    found.set(intent.id, { since: undefined, until: next?.accountDay });
    newer.set(key, intent);
  }
  return found;
}
