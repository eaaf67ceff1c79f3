import { addDays, civilDateAt } from '../../domain/civil-date.ts';
import { isRefused, isWaiting } from '../../domain/decision-facts.ts';
import type { StateApp } from '../../engine/app.ts';
import { redactRows } from '../../engine/redact-texts.ts';
import { allConditions } from '../../storage/records/alerts/alert-table.ts';
import {
  type CountedDecisions,
  type CountedRefusals,
  countDecisionsOfRun,
  lastDecisions,
  type RecordedDecision,
  refusalsSince,
} from '../../storage/records/budgets/decision-table.ts';
import { keptByHead } from '../../storage/records/budgets/kept-by-head.ts';
import { lastReport } from '../../storage/records/runs/run-history.ts';

export const REFUSAL_DAYS = 30;

/** The past of a rule, from the records. */
export interface RuleRecord {
  /** When it last decided about a budget, or its alert began, in UTC. */
  readonly lastAt: string | undefined;
  /** Refusals of the last {@link REFUSAL_DAYS} days, most frequent first. A request that waits is no refusal. */
  readonly refusals: readonly CountedRefusals[];
  /** The result in the last report, such as "2 changed, 1 refused". Empty if it did nothing. */
  readonly outcome: string;
}

export async function ruleRecords({ state, settings, clock }: StateApp): Promise<(rule: string) => RuleRecord> {
  const { db } = state;
  const since = `${addDays(civilDateAt(clock.now(), 'UTC'), -REFUSAL_DAYS)}T00:00:00Z`;
  const refusals = await keptByHead(settings, state, `refusals ${since}`, async () =>
    redactRows(await refusalsSince(db, since), settings),
  );
  const decided = await keptByHead(settings, state, 'last decisions', () => lastDecisions(db));
  const lastAt = new Map(decided.map(({ rule, at }) => [rule, at]));
  const conditions = await allConditions(db);
  for (const { rule, firedAt } of conditions) {
    if (rule !== undefined && firedAt > (lastAt.get(rule) ?? '')) lastAt.set(rule, firedAt);
  }
  const run = await lastReport(db);
  const ofRun = Map.groupBy(run === undefined ? [] : await countDecisionsOfRun(db, run.id), ({ rule }) => rule);
  return (rule) => {
    const firing = conditions.filter((one) => one.rule === rule && one.state === 'firing').length;
    const alerts = firing === 0 ? [] : [`${firing} firing`];
    return {
      lastAt: lastAt.get(rule),
      refusals: refusals.filter(({ newest }) => newest.rule === rule && isRefused(newest)),
      outcome: [...outcomeParts(ofRun.get(rule) ?? []), ...alerts].join(', '),
    };
  };
}

const OUTCOMES: Readonly<Record<RecordedDecision['kind'] | 'waiting', string>> = {
  change: 'changed',
  proposal: 'asked for approval',
  waiting: 'awaiting approval',
  would_change: 'suggested',
  refusal: 'refused',
};

/** Such as "2 changed" and "5 asked for approval". */
export function outcomeParts(decisions: readonly CountedDecisions[]): string[] {
  const byKind = Map.groupBy(decisions, (one) => (isWaiting(one) ? 'waiting' : one.kind));
  return Object.entries(OUTCOMES).flatMap(([kind, words]) => {
    const own = byKind.get(kind as keyof typeof OUTCOMES);
    return own === undefined ? [] : [`${own.reduce((sum, { count }) => sum + count, 0n)} ${words}`];
  });
}
