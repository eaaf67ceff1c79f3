import { Kysely, sql } from 'kysely';
import type pg from 'pg';
import { aheadMs } from '../../../domain/clock-difference.ts';
import { InputError } from '../../../domain/errors.ts';
import type { RecordHead } from '../budgets/record-head.ts';
import { MIGRATION_NAMES, STEPS } from '../migrations.ts';
import type { RecordStore, SchemaFault } from '../record-store.ts';
import { RECORD_TABLES } from '../record-tables.ts';
import { StatePlugin } from '../state-plugin.ts';
import type { StateSchema } from '../state-schema.ts';
import { ACCESS_TOKEN_TABLE } from './access-token-table.ts';
import { databaseAddress } from './address.ts';
import { COPY_WITNESS } from './copy-witness.ts';
import { databaseFailure } from './database-failure.ts';
import { MADE_TABLES } from './made-tables.ts';
import { MOVE_TABLE, moveRefusal } from './move-mark.ts';
import { connectTo, type DriverDeps, LOCK_SPACE, postgresDialect, WRITER_LOCK } from './postgres-driver.ts';
import { GUARDS, VOCABULARY } from './vocabulary.ts';

export interface PostgresOpening extends Pick<DriverDeps, 'url' | 'waitMs' | 'fence'> {
  /** For the move itself: opens records that moved, or that have not arrived completely. */
  readonly moving?: boolean;
  /** For a freeze, which cannot wait for an upgrade: opens older tables, too. */
  readonly asTheyAre?: boolean;
}

export const VERSION_MIN = 150_000;

interface ServerTime {
  readonly ms: number;
}

/** Asks for the clock of the machine, because PACEKEEPER_NOW sets the other one on purpose. */
export async function aheadOfServer(
  ask: (sql: string) => Promise<{ readonly rows: readonly ServerTime[] }>,
): Promise<number> {
  const askedMs = Date.now();
  const { rows } = await ask('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms');
  const answeredMs = Date.now();
  return aheadMs(askedMs, answeredMs, rows[0]?.ms ?? answeredMs);
}

/** The schema of the tasks that workers share. */
export const QUEUE_SCHEMA = 'pacekeeper_queue';

/**
 * Creates the schemas if they are missing. Older tables are refused here, and upgraded under the run lock
 * (`upgrade-tables.ts`). SQLite migrates its file at once. Throws `InputError` for a database that cannot be used.
 */
export async function openPostgres(opening: PostgresOpening): Promise<RecordStore> {
  const { url, waitMs, fence } = opening;
  const where = databaseAddress(url);
  const { isReadOnly, version } = await withClient(url, waitMs, (client) => prepareSchema(client, where, opening));
  const db = kyselyOn<StateSchema>({ url, where, waitMs, fence, version });
  return {
    path: where,
    db,
    isReadOnly,
    server: { aheadMs: () => aheadOfServer((text) => sql.raw<ServerTime>(text).execute(db)) },
    async eachRow(query, take) {
      await withClient(url, waitMs, async (client) => {
        await client.query('BEGIN READ ONLY');
        await client.query({ text: `DECLARE each CURSOR FOR ${query.sql}`, values: [...query.parameters] });
        for (;;) {
          const { rows } = await client.query<unknown[]>({ text: 'FETCH 5000 FROM each', rowMode: 'array' });
          for (const row of rows) {
            const taking = take(row);
            if (taking !== undefined) await taking;
          }
          if (rows.length === 0) return;
        }
      });
    },
    guardFault: () => withClient(url, waitMs, guardFault),
    withoutFlushing: (work) => work(),
    releaseMemory: () => undefined,
    deleting: (work) => db.transaction().execute(work),
    close: () => db.destroy(),
  };
}

/** Tables that are changed while a run holds the lock of writers. Creates the schemas if they are missing. */
export async function openBeside<Schema>({ url, waitMs, lock }: BesideOpening): Promise<Kysely<Schema>> {
  const where = databaseAddress(url);
  const { version } = await withClient(url, waitMs, (client) => prepareSchema(client, where));
  return kyselyOn({ url, where, waitMs, lock, queryMs: BESIDE_MS, version });
}

interface BesideOpening extends Pick<PostgresOpening, 'url' | 'waitMs'> {
  readonly lock: number;
}

/** A provider gives up after about this time, and sends the webhook again. */
const BESIDE_MS = 10_000;

function kyselyOn<Schema>(deps: DriverDeps): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: postgresDialect(deps), plugins: [new StatePlugin()] });
}

/** True if a worker has ever used the database. */
export async function hasTaskQueue(url: string, waitMs: number): Promise<boolean> {
  const { rows } = await withClient(url, waitMs, (client) =>
    client.query<{ found: string | null }>(`SELECT to_regclass('${QUEUE_SCHEMA}.instance')::text AS found`),
  );
  return rows[0]?.found !== null;
}

export async function prepareTaskQueue(url: string, waitMs: number): Promise<void> {
  await withClient(url, waitMs, async (client) => {
    await prepareSchema(client, databaseAddress(url));
    const { rows } = await client.query<{ found: string | null }>(
      `SELECT to_regnamespace('${QUEUE_SCHEMA}')::text AS found`,
    );
    // Even for an existing schema, CREATE needs a right that a role for runs lacks.
    if (rows[0]?.found === null) await client.query(`CREATE SCHEMA IF NOT EXISTS ${QUEUE_SCHEMA}`);
  });
}

/** True if the tables lack steps of this version. */
export async function isOlderDatabase(url: string, waitMs: number): Promise<boolean> {
  return withClient(url, waitMs, async (client) => isOlder((await stepsIn(client)) ?? MIGRATION_NAMES));
}

/** True if the database has tables of pacekeeper. */
export async function hasPostgresRecords(url: string, waitMs: number): Promise<boolean> {
  return withClient(url, waitMs, async (client) => (await stepsIn(client)) !== undefined);
}

interface PostgresPast {
  /** The last run, and the last of the lost runs that somebody adopted. 0 without runs. */
  readonly lastRun: bigint;
  readonly lastAdopted: bigint;
  readonly hasEvent: boolean;
  /** The reason why the records cannot be used if they are moving or moved. */
  readonly moved: InputError | undefined;
}

export function postgresPast(url: string, waitMs: number, event: RecordHead): Promise<PostgresPast> {
  return withClient(url, waitMs, async (client) => {
    const isEmpty = (await stepsIn(client)) === undefined;
    if (isEmpty) return { lastRun: 0n, lastAdopted: 0n, hasEvent: event.id === 0n, moved: undefined };
    const { rows } = await client.query<{ run: bigint | null; adopted: bigint | null; has: bigint }>(
      `SELECT (SELECT max(id) FROM run) AS run, $1::bigint = 0 OR EXISTS (SELECT FROM budget_event WHERE id = $1 AND hash = $2) AS has,
        (SELECT max((detail ->> 'last_run')::bigint) FROM budget_event WHERE kind = 'adopted') AS adopted`,
      [event.id, event.hash],
    );
    return {
      lastRun: rows[0]?.run ?? 0n,
      lastAdopted: rows[0]?.adopted ?? 0n,
      hasEvent: rows[0]?.has === 1n,
      moved: await moveRefusal(client, databaseAddress(url)),
    };
  });
}

export async function withClient<Value>(
  url: string,
  waitMs: number,
  work: (client: pg.Client) => Promise<Value>,
): Promise<Value> {
  const client = await connectTo(url, waitMs);
  try {
    return await work(client);
  } catch (error) {
    throw databaseFailure(databaseAddress(url), error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The records that a database has. */
export type RecordsLook =
  | { readonly kind: 'none' }
  | { readonly kind: 'newer' | 'older' | 'whole' /** The name of the last step. */; readonly version: string }
  | ({ readonly kind: 'damaged' } & SchemaFault);

/** `server` is such as 150006. */
export async function schemaLook(client: pg.Client): Promise<{
  readonly server: bigint;
  readonly isReadOnly: boolean;
  readonly records: RecordsLook;
}> {
  const { rows } = await client.query<{ server: bigint; standby: bigint; readonly: string }>(
    `SELECT current_setting('server_version_num')::int AS server, pg_is_in_recovery() AS standby,
      current_setting('transaction_read_only') AS readonly`,
  );
  const [{ server = 0n, standby = 0n, readonly = 'off' } = {}] = rows;
  return { server, isReadOnly: standby === 1n || readonly === 'on', records: await recordsLook(client) };
}

export async function recordsLook(client: pg.Client): Promise<RecordsLook> {
  const done = await stepsIn(client);
  if (done === undefined) return { kind: 'none' };
  const version = done.at(-1) ?? '';
  if (done.some((name) => !MIGRATION_NAMES.includes(name))) return { kind: 'newer', version };
  // Older tables get their check after the upgrade.
  if (isOlder(done)) return { kind: 'older', version };
  const lacking = MIGRATION_NAMES.find((name) => !done.includes(name));
  const fault =
    lacking === undefined ? await tableFault(client) : { words: `schema_version lacks ${lacking}`, ofRecord: false };
  return fault === undefined ? { kind: 'whole', version } : { kind: 'damaged', ...fault };
}

/** Steps before the first of `STEPS` cannot be made up for. */
function isOlder(done: readonly string[]): boolean {
  const lacking = MIGRATION_NAMES.filter((name) => !done.includes(name));
  return lacking.length > 0 && lacking.every((name) => name in STEPS);
}

/** Such as 0008. */
export const shortVersion = (step: string): string => step.slice(0, 4);

/** The owner of the tables if this user is not one of its members. Nobody else can upgrade them. */
export async function foreignOwner(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ owner: string }>(
    `SELECT pg_get_userbyid(relowner) AS owner FROM pg_class
    WHERE oid = 'pacekeeper.schema_version'::regclass AND NOT pg_has_role(relowner, 'USAGE')`,
  );
  return rows[0]?.owner;
}

/** Advice about older tables. */
export function upgradeStep(owner: string | undefined): string {
  const before = 'Stop all processes, and dump the database with pg_dump (docs/upgrade.md).';
  if (owner === undefined) return `${before} Then run pacekeeper report, which upgrades the tables.`;
  return `${before} Then run pacekeeper audit verify --offline as ${owner}, who owns the tables, and grant the rights again (docs/scale-out.md, Roles).`;
}

export function olderRefusal(
  where: string,
  { version, owner, needed }: { readonly version: string; readonly owner: string | undefined; readonly needed: string },
): InputError {
  const words = `${where} has tables of version ${shortVersion(version)}, expected version ${shortVersion(needed)}.`;
  return new InputError(words, { nextStep: upgradeStep(owner) });
}

/** Creates the schemas if they are missing. `isReadOnly` is true if the server allows no writes. */
async function prepareSchema(
  client: pg.Client,
  where: string,
  { moving = false, asTheyAre = false }: Pick<PostgresOpening, 'moving' | 'asTheyAre'> = {},
): Promise<{ readonly isReadOnly: boolean; readonly version: string }> {
  const { server, isReadOnly, records } = await schemaLook(client);
  if (server < VERSION_MIN) {
    throw new InputError(`${where} runs PostgreSQL ${server / 10_000n}, but pacekeeper needs version 15 or newer.`, {
      nextStep: 'Update the server, or use another one.',
    });
  }
  switch (records.kind) {
    case 'none':
      if (isReadOnly) throw Object.assign(new Error('read-only'), { code: '25006' });
      await createSchema(client, where);
      return prepareSchema(client, where, { moving });
    case 'newer':
      throw new InputError(`${where} was written by a newer version of pacekeeper.`, {
        nextStep: 'Update pacekeeper, or name another database in store.url.',
      });
    case 'damaged':
      throw new InputError(`${where} cannot be used: ${records.words}.`, {
        nextStep: 'Restore the database with the tools of PostgreSQL.',
      });
    case 'older':
      if (!asTheyAre) {
        const owner = await foreignOwner(client);
        throw olderRefusal(where, { version: records.version, owner, needed: MIGRATION_NAMES.at(-1) ?? '' });
      }
  }
  const moved = moving ? undefined : await moveRefusal(client, where);
  if (moved !== undefined) throw moved;
  return { isReadOnly, version: records.version };
}

/** The names of the steps that made the tables. Undefined if the database has no tables of pacekeeper. */
export async function stepsIn(client: pg.Client): Promise<readonly string[] | undefined> {
  const { rows } = await client.query("SELECT to_regclass('pacekeeper.schema_version')::text AS known");
  if ((rows[0] as { known: string | null }).known === null) return undefined;
  const { rows: names } = await client.query<{ name: string }>('SELECT name FROM pacekeeper.schema_version ORDER BY 1');
  return names.map(({ name }) => name);
}

/** One process creates the tables while others wait. A failure leaves nothing. */
async function createSchema(client: pg.Client, where: string): Promise<void> {
  await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${WRITER_LOCK})`);
  if ((await stepsIn(client)) !== undefined) {
    await client.query('ROLLBACK');
    return;
  }
  const { rows } = await client.query<{ name: string }>(
    "SELECT table_schema || '.' || table_name AS name FROM information_schema.tables WHERE table_schema IN ('pacekeeper', 'warehouse') LIMIT 1",
  );
  if (rows[0] !== undefined) {
    throw new InputError(`${where} has a table ${rows[0].name} that pacekeeper did not create.`, {
      nextStep: 'Name another database in store.url, or move the schemas pacekeeper and warehouse away.',
    });
  }
  await client.query('CREATE SCHEMA IF NOT EXISTS pacekeeper');
  await client.query('CREATE SCHEMA IF NOT EXISTS warehouse');
  for (const statement of [...VOCABULARY, ...MADE_TABLES, ...GUARDS, ...OWN_TABLES]) await client.query(statement);
  for (const name of MIGRATION_NAMES) await client.query('INSERT INTO schema_version (name) VALUES ($1)', [name]);
  await client.query('COMMIT');
}

/** True if the due time is now of this place. The place that claimed it before may claim it again. */
export async function claimTick(client: pg.Client, job: string, dueAt: string, place: string): Promise<boolean> {
  const { rows } = await client.query<{ place: string }>(
    `WITH old AS (DELETE FROM claimed_tick WHERE claimed_at < now() - interval '400 days')
    INSERT INTO claimed_tick (job, due_at, place) VALUES ($1, $2, $3)
    ON CONFLICT (job, due_at) DO UPDATE SET place = claimed_tick.place RETURNING place`,
    [job, dueAt, place],
  );
  return rows[0]?.place === place;
}

/**
 * `account_yesterday` is for `warehouse.account_day`. `run_lock` names the process that holds the run lock. Its token
 * grows, so that a process notices that it lost the lock.
 */
const OWN_TABLES = [
  'CREATE TABLE schema_version (name text COLLATE "C" PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now())',
  'CREATE TABLE account_yesterday (customer_id bigint PRIMARY KEY, yesterday date NOT NULL)',
  'CREATE TABLE run_lock (id bigint PRIMARY KEY CHECK (id = 1), token bigint NOT NULL, holder text NOT NULL)',
  "INSERT INTO run_lock VALUES (1, 0, '{}')",
  ...COPY_WITNESS,
  ...ACCESS_TOKEN_TABLE,
  // PostgreSQL looks for references to each slice that is deleted.
  'CREATE INDEX account_day_by_slice ON account_day (slice_id)',
  'CREATE INDEX day_reading_by_slice ON day_reading (slice_id)',
  `CREATE TABLE claimed_tick (job text COLLATE "C" NOT NULL, due_at text COLLATE "C" NOT NULL, place text NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (job, due_at))`,
  MOVE_TABLE,
];

/** `information_schema` would hide tables for which this user lacks rights. */
async function tableFault(client: pg.Client): Promise<SchemaFault | undefined> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `SELECT relname AS name, array_agg(attname::text) AS columns FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relnamespace = to_regnamespace('pacekeeper') AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
    GROUP BY relname`,
  );
  const found = new Map(rows.map(({ name, columns }) => [name, columns]));
  for (const [name, columns] of RECORD_TABLES) {
    const missing = columns.find((column) => !found.get(name)?.includes(column));
    if (missing === undefined) continue;
    const words = found.has(name) ? `column ${missing} of table ${name} is missing` : `table ${name} is missing`;
    return { words, ofRecord: false };
  }
  return undefined;
}

export async function guardFault(client: pg.Client): Promise<SchemaFault | undefined> {
  const { rows } = await client.query<{ name: string; enabled: string; source: string }>(
    `SELECT tgname AS name, tgenabled AS enabled, prosrc AS source FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
    WHERE tgrelid = to_regclass('pacekeeper.budget_event') AND NOT tgisinternal`,
  );
  const found = new Map(rows.map((row) => [row.name, row]));
  for (const statement of GUARDS) {
    const name = /^CREATE TRIGGER (\w+)/.exec(statement)?.[1];
    if (name === undefined) continue;
    const trigger = found.get(name);
    if (trigger === undefined) return { words: `trigger ${name} is missing`, ofRecord: true };
    const isMade = GUARDS.some((made) => made.includes(`$$${trigger.source}$$`));
    if (trigger.enabled !== 'O' || !isMade) {
      return { words: `trigger ${name} differs from the one that pacekeeper creates`, ofRecord: true };
    }
  }
  return undefined;
}
