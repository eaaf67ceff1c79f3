import type { StateDb } from '../record-store.ts';

export type Counts = readonly { readonly labels: readonly string[]; readonly value: number }[];

/** Numbers for monitoring. Times are seconds since 1970. */
export interface StateCounts {
  readonly runs: Counts;
  /** `lastRun` is the newest start per command. `lastSuccess` is the newest successful end. */
  readonly lastRun: Counts;
  readonly lastSuccess: Counts;
  readonly rowsRead: Counts;
  readonly changes: Counts;
  readonly proposalsOpen: Counts;
  readonly firing: Counts;
  readonly outbox: Counts;
}

/** `now` is in UTC. */
export async function stateCounts(db: StateDb, now: string): Promise<StateCounts> {
  const all = db.fn.countAll<bigint>().as('value');
  const byCommand = db.selectFrom('run').select('command').groupBy('command');
  return {
    runs: await counted(db.selectFrom('run').select(['command', 'state', all]).groupBy(['command', 'state'])),
    lastRun: await counted(byCommand.select(({ fn }) => fn.max('startedAt').as('value'))),
    lastSuccess: await counted(byCommand.select(({ fn }) => fn.max('endedAt').as('value')).where('state', '=', 'done')),
    rowsRead: await counted(db.selectFrom('run').select(({ fn }) => fn.sum<bigint | null>('rowsRead').as('value'))),
    changes: await counted(db.selectFrom('budgetIntent').select(['state', all]).groupBy('state')),
    proposalsOpen: await counted(
      db.selectFrom('budgetProposal').select(all).where('state', '=', 'open').where('expiresAt', '>', now),
    ),
    firing: await counted(
      db
        .selectFrom('alert')
        .select(['severity', all])
        .where('state', '=', 'firing')
        .where('kind', '=', 'condition')
        .groupBy('severity'),
    ),
    outbox: await counted(db.selectFrom('outbox').select(['state', all]).groupBy('state')),
  };
}

interface Counting {
  execute(): Promise<readonly { readonly value: bigint | string | null | undefined }[]>;
}

async function counted(query: Counting): Promise<Counts> {
  const rows = await query.execute();
  return rows.map(({ value, ...labels }) => ({
    labels: Object.values(labels).map(String),
    value: typeof value === 'string' ? Math.floor(Date.parse(value) / 1000) : Number(value ?? 0n),
  }));
}
