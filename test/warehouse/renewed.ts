import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { addDays } from '../../src/domain/civil-date.ts';
import { customerId } from '../../src/domain/ids.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { checkQueryFile, type QueryFile } from '../../src/language/gaql/query-file.ts';
import { ensureQueryTable } from '../../src/storage/warehouse/evolve-table.ts';
import { hasDays, identifier } from '../../src/storage/warehouse/query-table.ts';
import { beginLoad } from '../../src/storage/warehouse/sqlite/load-slice.ts';
import { publishWarehouse } from '../../src/storage/warehouse/sqlite/publish.ts';
import { type OpenedState, openedState, stateIn } from '../support/state.ts';
import { tempDir } from '../support/temp-dir.ts';

const catalogue = loadCatalogue('v25');

function query(name: string, text: string): QueryFile {
  const found = checkQueryFile(name, text, { catalogue });
  if (!found.query) throw new Error(JSON.stringify(found.diagnostics));
  return found.query;
}

const IN_DAYS = 'WHERE segments.date DURING LAST_30_DAYS';

/** Keyed, keyed without days, kept under numbers because a key's column may be empty, and without anything to tell rows by. */
export const QUERIES = {
  words: query(
    'words',
    `SELECT campaign.id, campaign.name, ad_group.id, ad_group.name, ad_group_criterion.criterion_id,
      ad_group_criterion.keyword.text, metrics.clicks, metrics.impressions, metrics.cost_micros, segments.date
      FROM keyword_view ${IN_DAYS}`,
  ),
  campaigns: query(
    'campaigns',
    `SELECT campaign.id, campaign.name AS called, campaign.status, metrics.clicks, segments.date FROM campaign ${IN_DAYS}`,
  ),
  devices: query(
    'devices',
    `SELECT campaign.id, campaign.name, segments.device, metrics.cost_micros, segments.date FROM campaign ${IN_DAYS}`,
  ),
  criteria: query(
    'criteria',
    `SELECT ad_group.id, ad_group_criterion.criterion_id, ad_group_criterion.keyword.text, ad_group_criterion.status
      FROM ad_group_criterion`,
  ),
  names: query('names', `SELECT campaign.name, metrics.clicks, segments.date FROM campaign ${IN_DAYS}`),
};

export type QueryName = keyof typeof QUERIES;

const FIRST_DAY = civilDate('2026-10-26');
export const NOW_MS = Date.parse('2026-11-20T12:00:00Z');

/** A row by small numbers: what it is about, on which day, what it is called there, and what it counts. */
export interface SmallRow {
  readonly day: number;
  readonly thing: number;
  readonly name: number;
  readonly clicks: number;
}

export interface SmallLoad {
  readonly query: QueryName;
  readonly account: number;
  readonly day: number;
  readonly days: number;
  /** Those outside the days, and of those with the same key all but the last, are left out. */
  readonly rows: readonly SmallRow[];
  /** `settled` if it does not say. */
  readonly state?: 'settled' | 'provisional';
}

const accountId = (account: number) => customerId(String(1_000_000_001 + account));

/** A folder with a state file that has the queries' tables, and no accounts. */
export async function freshState(): Promise<OpenedState & { readonly published: string }> {
  const folder = tempDir();
  const state = await stateIn(folder);
  onTestFinished(() => state.close());
  // It need not outlive the machine: nothing waits for the disk.
  state.connection.pragma('synchronous = OFF');
  for (const one of Object.values(QUERIES)) await ensureQueryTable(state, one);
  state.connection.exec(`INSERT INTO run (id, command, target, target_kind, mode, dry_run, state, started_at)
    VALUES (1, 'report', 't', 'sandbox', 'apply', 0, 'done', '2026-11-20T12:00:00Z')`);
  return { ...state, published: join(folder, 'warehouse.sqlite') };
}

export function setAccount(state: OpenedState, account: number, currency: string | null): void {
  state.connection
    .prepare(
      `INSERT OR REPLACE INTO account (customer_id, name, currency, time_zone, seen_at)
      VALUES (?, 'Shop', ?, 'Europe/Berlin', '2026-11-20T12:00:00Z')`,
    )
    .run(BigInt(accountId(account)), currency);
}

/** Loads through the product's own function, with the records that a slice leaves. */
export async function load(
  state: OpenedState,
  { query: name, account, day, days, rows, state: read = 'settled' }: SmallLoad,
): Promise<void> {
  const one = QUERIES[name];
  const range = { from: addDays(FIRST_DAY, day), to: addDays(FIRST_DAY, day + days - 1) };
  const customer = accountId(account);
  await state.db.transaction().execute(async () => {
    const slice = state.connection
      .prepare(`INSERT INTO slice (run_id, query, query_text, customer_id, state, started_at, ended_at)
        VALUES (1, ?, 'q', ?, 'done', '2026-11-20T12:00:00Z', ?)`)
      .run(name, BigInt(customer), `2026-11-${10 + day}T12:00:00Z`).lastInsertRowid;
    const open = beginLoad(state, {
      query: one,
      customerId: customer,
      days: hasDays(one) ? range : undefined,
    });
    const asked = rows.filter((row) => !hasDays(one) || (row.day >= day && row.day < day + days));
    const unique = new Map(asked.map((row) => [`${row.day} ${row.thing}`, rowOf(row, day)]));
    const separate = new Map([...unique].map(([at, row]) => [keyIn(one, row) ?? at, row]));
    const json = [...separate.values()].map((row) => JSON.stringify(row));
    await open.add({ json: Buffer.from(`[${json.join(',')}]`), booleans: false });
    await open.finish();
    if (!hasDays(one)) return;
    const record = state.connection.prepare(`INSERT OR REPLACE INTO account_day
      VALUES (?, ?, ?, 'q', ?, 0, '{"clicks":"1"}', ?, '2026-11-20T12:00:00Z')`);
    for (let at = 0; at < days; at += 1) record.run(name, BigInt(customer), addDays(range.from, at), read, slice);
  });
}

/** Undefined for a table without a key. */
function keyIn({ key, columns }: QueryFile, row: object): string | undefined {
  const parts = columns.filter(({ name }) => key.includes(name));
  const valueAt = (path: readonly string[]) =>
    path.reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], row);
  return key.length === 0 ? undefined : parts.map(({ path }) => `${valueAt(path)}`).join(' ');
}

/** Eight keywords in four ad groups; an ad group is in another campaign on other days, now and then. */
function rowOf({ day, thing, name, clicks }: SmallRow, loadDay: number): object {
  const adGroup = 10 + (thing >> 1);
  const campaign = 1 + ((adGroup + (loadDay === 3 ? 1 : 0)) % 3);
  const device = ['MOBILE', 'DESKTOP', undefined][thing % 3];
  return {
    campaign: { id: String(campaign), name: `c${name % 3}`, status: name % 2 ? 'PAUSED' : 'ENABLED' },
    adGroup: { id: String(adGroup), name: `g${name}` },
    adGroupCriterion: {
      criterionId: String(100 + (thing & 1)),
      status: name % 2 ? 'PAUSED' : 'ENABLED',
      ...(name === 4 ? {} : { keyword: { text: `k${name}` } }),
    },
    metrics: { clicks: String(clicks), impressions: String(clicks * 3), costMicros: String(clicks * 1_234_567) },
    segments: { date: addDays(FIRST_DAY, day), ...(device ? { device } : {}) },
  };
}

export async function publishTo(state: OpenedState, path: string, nowMs = NOW_MS): Promise<void> {
  await publishWarehouse(state, { path, nowMs, describe: () => undefined });
}

/** Publishes a copy of the state file, from which nothing can be carried on, and answers with all that is in the file. */
export async function publishedWhole(state: OpenedState, nowMs = NOW_MS): Promise<unknown> {
  const folder = tempDir();
  state.connection.prepare('VACUUM INTO ?').run(join(folder, 'state.sqlite'));
  const copy = await openedState(join(folder, 'state.sqlite'));
  try {
    await publishTo(copy, join(folder, 'warehouse.sqlite'), nowMs);
  } finally {
    await copy.close();
  }
  return contentsOf(join(folder, 'warehouse.sqlite'));
}

/** The schema and all rows of a published file, but what it is called. */
export function contentsOf(path: string): unknown {
  const file = new Database(path, { readonly: true });
  try {
    const schema = file
      .prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY 1, 2")
      .raw()
      .all() as string[][];
    const tables = schema.filter(([type]) => type !== 'index').map(([, name]) => name ?? '');
    const rowsOf = (name: string) => {
      const columns = name === 'as_of' ? 'as_of, target' : '*';
      const rows = file
        .prepare(`SELECT ${columns} FROM ${identifier(name)}`)
        .safeIntegers()
        .raw()
        .all();
      return rows
        .map((row) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}` : value)))
        .sort();
    };
    return { schema, rows: Object.fromEntries(tables.map((name) => [name, rowsOf(name)])) };
  } finally {
    file.close();
  }
}

/** How often the file was written to since it was made: more often than a new one, and it was carried on. */
export function writesOf(path: string): number {
  return readFileSync(path).readUInt32BE(24);
}

/** Whether the file's bytes keep SQLite's own rules. */
export function integrityOf(path: string): unknown {
  const file = new Database(path, { readonly: true });
  try {
    return file.pragma('integrity_check', { simple: true });
  } finally {
    file.close();
  }
}
