import { isMade } from '../../domain/budget-change.ts';
import { addDays, type CivilDate, daysBetween } from '../../domain/civil-date.ts';
import type { CampaignId } from '../../domain/ids.ts';
import { sumOfKnown } from '../../domain/micros.ts';
import type { RecordedDecision } from '../../store/budgets/decision-table.ts';
import type { Intent } from '../../store/budgets/intent-table.ts';
import type { PublishedFile } from '../../warehouse/sqlite/published-file.ts';
import type { ChangeFacts, DayFacts, PeriodSums } from './report-facts.ts';

export type AccountNames = ReadonlyMap<string, string>;

const EFFECT_DAYS = 7;

/**
 * Complete days only, between the changes before (`since`) and after (`until`). The day itself belongs to both sides.
 */
export function changeWithEffect(
  decision: RecordedDecision,
  {
    file,
    query,
    campaigns,
    days,
    since,
    until,
  }: {
    readonly file: PublishedFile;
    readonly query: string;
    readonly campaigns: readonly CampaignId[];
    readonly days: readonly DayFacts[];
    readonly since: CivilDate | undefined;
    readonly until: CivilDate | undefined;
  },
): ChangeFacts {
  const day = decision.accountDay;
  if (campaigns.length === 0) return { ...decision, before: undefined, after: undefined };
  const from = addDays(day, -EFFECT_DAYS);
  const to = addDays(day, EFFECT_DAYS);
  const settled = days.filter(({ date, state }) => state === 'settled' && date >= from && date <= to);
  const sums = new Map(
    file.daysOfCampaigns(query, decision.customerId, campaigns, from, to).map((found) => [found.date, found]),
  );
  const periodOf = (dates: readonly CivilDate[]): PeriodSums => {
    const found = dates.flatMap((date) => sums.get(date) ?? []);
    return {
      days: dates.length,
      costMicros: sumOfKnown(found.map(({ costMicros }) => costMicros)),
      clicks: sumOfKnown(found.map(({ clicks }) => clicks)),
    };
  };
  const dates = settled.map(({ date }) => date);
  return {
    ...decision,
    before: periodOf(dates.filter((date) => date < day && (since === undefined || date > since))),
    after: periodOf(dates.filter((date) => date > day && (until === undefined || daysBetween(date, until) > 0))),
  };
}

export interface Neighbours {
  readonly since: CivilDate | undefined;
  readonly until: CivilDate | undefined;
}

/** Expects the newest first. */
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
