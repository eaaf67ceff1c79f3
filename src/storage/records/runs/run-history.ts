import type { NotNull, Selection } from 'kysely';
import { addDays, type CivilDate } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import type { RecordStore, StateDb } from '../record-store.ts';
import type { StateSchema } from '../state-schema.ts';
import type { RunAccountRecord } from './run-account-table.ts';

const RUN_COLUMNS = [
  'id',
  // The command without `pacekeeper`, such as `report`.
  'command',
  'target',
  'targetKind',
  'mode',
  'dryRun',
  'state',
  'startedAt',
  'endedAt',
  'accounts',
  'rowsRead',
  'budgetChanges',
  'messagesSent',
  'operations',
  'failures',
  // One failure per line.
  'error',
] as const;

type RunRow = Selection<StateSchema, 'run', (typeof RUN_COLUMNS)[number]>;

export type PastRun = Readonly<Omit<RunRow, 'dryRun'>> & { readonly dryRun: boolean };

/** Other runs do what a person asked for. The refusal of one person is no failure for others. */
export const READING_RUNS = ['report', 'extract'] as const;

export interface RunFilter {
  readonly before?: bigint | undefined;
  /** First and last day (UTC) of the start. */
  readonly from?: CivilDate | undefined;
  readonly to?: CivilDate | undefined;
  /** Only runs that concerned one of these accounts. An empty list means all runs. */
  readonly customers?: readonly CustomerId[];
  readonly commands?: readonly string[];
  readonly states?: readonly PastRun['state'][];
  /** True: oldest first. */
  readonly fromFirst?: boolean;
  readonly limit: number;
}

export async function pastRuns(
  db: StateDb,
  { before, from, to, customers = [], commands, states, fromFirst = false, limit }: RunFilter,
): Promise<PastRun[]> {
  let query = db
    .selectFrom('run')
    .select(RUN_COLUMNS)
    .orderBy('id', fromFirst ? 'asc' : 'desc')
    .limit(limit);
  if (states !== undefined) query = query.where('state', 'in', states);
  if (before !== undefined) query = query.where('id', '<', before);
  if (commands !== undefined) query = query.where('command', 'in', commands);
  if (from !== undefined) query = query.where('startedAt', '>=', from);
  if (to !== undefined) query = query.where('startedAt', '<', addDays(to, 1));
  if (customers.length > 0) {
    query = query.where('id', 'in', ({ selectFrom }) =>
      selectFrom('runAccount').select('runId').where('customerId', 'in', customers),
    );
  }
  return (await query.execute()).map(toRun);
}

/** Before the first report, the last extraction. */
export async function lastReport(db: StateDb): Promise<PastRun | undefined> {
  const [report] = await pastRuns(db, { commands: ['report'], limit: 1 });
  const [extraction] = report === undefined ? await pastRuns(db, { commands: ['extract'], limit: 1 }) : [];
  return report ?? extraction;
}

export async function pastRun(db: StateDb, id: bigint): Promise<PastRun | undefined> {
  const row = await db.selectFrom('run').select(RUN_COLUMNS).where('id', '=', id).executeTakeFirst();
  return row && toRun(row);
}

export interface AccountInRun extends RunAccountRecord {
  readonly name: string | undefined;
  readonly rows: bigint;
}

/** Accounts that were not read come first. */
export async function accountsInRun(db: StateDb, id: bigint, limit: number): Promise<AccountInRun[]> {
  const rows = await db
    .selectFrom('runAccount')
    .leftJoin('account', 'account.customerId', 'runAccount.customerId')
    .select(['runAccount.customerId', 'account.name', 'runAccount.state', 'runAccount.code', 'runAccount.reason'])
    .select(({ selectFrom }) =>
      selectFrom('slice')
        .select(({ fn }) => fn.sum<bigint | null>('slice.rows').as('rows'))
        .where('slice.runId', '=', id)
        .whereRef('slice.customerId', '=', 'runAccount.customerId')
        .as('rows'),
    )
    .where('runAccount.runId', '=', id)
    .orderBy(({ eb }) => eb('runAccount.state', '=', 'read'))
    .orderBy('runAccount.customerId')
    .limit(limit)
    .$narrowType<{ name: NotNull }>()
    .execute();
  return rows.map((row) => ({ ...row, rows: row.rows ?? 0n }));
}

function toRun({ dryRun, ...run }: RunRow): PastRun {
  return { ...run, dryRun: dryRun === 1n };
}

export interface StateSummary {
  readonly run: { readonly id: bigint; readonly startedAt: string } | undefined;
  readonly waiting: number;
}

export async function summariseState({ db }: Pick<RecordStore, 'db'>): Promise<StateSummary> {
  const [run] = await pastRuns(db, { limit: 1 });
  const { waiting } = await db
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<bigint>().as('waiting'))
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow();
  return { run: run && { id: run.id, startedAt: run.startedAt }, waiting: Number(waiting) };
}

export interface RunProgress extends Pick<PastRun, 'id' | 'command' | 'state' | 'startedAt'> {
  /** Number of planned slices. A slice that was cut counts as its parts. */
  readonly slices: number;
  readonly slicesRead: number;
  readonly rowsRead: bigint;
}

/** The newest run. Undefined before the first run. */
export async function newestProgress(db: StateDb): Promise<RunProgress | undefined> {
  const [run] = await pastRuns(db, { limit: 1 });
  if (run === undefined) return undefined;
  const states = await db
    .selectFrom('slice')
    .select(({ fn }) => ['state', fn.countAll<bigint>().as('slices'), fn.sum<bigint>('rows').as('rows')])
    .where('runId', '=', run.id)
    .where('state', '<>', 'cut')
    .groupBy('state')
    .execute();
  const { id, command, state, startedAt } = run;
  const slices = states.reduce((sum, one) => sum + Number(one.slices), 0);
  const planned = states.find((one) => one.state === 'planned');
  const rowsRead = states.reduce((sum, one) => sum + one.rows, 0n);
  return { id, command, state, startedAt, slices, slicesRead: slices - Number(planned?.slices ?? 0n), rowsRead };
}
