import { sql } from 'kysely';
import type { CustomerId } from '../domain/ids.ts';
import type { StateDb } from './open-state.ts';

/** The newest report that could decide for good: a dry run decides nothing that lasts. */
export async function newestDecidingRun(db: StateDb): Promise<bigint | undefined> {
  const row = await db
    .selectFrom('run')
    .select('id')
    .where('command', '=', 'report')
    .where('dryRun', '=', 0n)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** When an account's rows of a query were last read whole, an instant, UTC, and by which run. */
export interface Reading {
  readonly at: string;
  readonly runId: bigint;
}

/** The last reading of a query in each account, by customer id. */
export async function lastReadings(db: StateDb, query: string): Promise<ReadonlyMap<CustomerId, Reading>> {
  const rows = await db
    .selectFrom('slice')
    .select(['customerId', sql<string>`max(started_at)`.as('at'), sql<bigint>`max(run_id)`.as('runId')])
    .where('query', '=', query)
    .where('state', '=', 'done')
    .groupBy('customerId')
    .execute();
  return new Map(rows.map(({ customerId, at, runId }) => [customerId, { at, runId }]));
}

/** The run of each change ("B12") and proposal (its code) that was decided since the instant. */
export async function runsOfDecisions(db: StateDb, since: string): Promise<ReadonlyMap<string, bigint>> {
  const intents = await db.selectFrom('budgetIntent').select(['id', 'runId']).where('createdAt', '>=', since).execute();
  const proposals = await db
    .selectFrom('budgetProposal')
    .select(['code', 'runId'])
    .where('createdAt', '>=', since)
    .execute();
  const all = [
    ...intents.map(({ id, runId }) => [`B${id}`, runId] as const),
    ...proposals.map(({ code, runId }) => [code, runId] as const),
  ];
  return new Map(all.flatMap(([reference, run]) => (run === undefined ? [] : [[reference, run]])));
}
