import { onTestFinished } from 'vitest';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import type { DateRange } from '../../src/domain/civil-date.ts';
import { customerId } from '../../src/domain/ids.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { checkQueryFile, type QueryFile } from '../../src/language/gaql/query-file.ts';
import { ensureQueryTable } from '../../src/storage/warehouse/evolve-table.ts';
import type { LoadResult } from '../../src/storage/warehouse/slice-load.ts';
import type { Store } from '../../src/storage/warehouse/store.ts';
import { type OpenedState, stateIn } from '../support/state.ts';
import { tempDir } from '../support/temp-dir.ts';

const catalogue = loadCatalogue('v25');

/** A checked query that fills the table `stats`. */
export function queryOf(text: string): QueryFile {
  const { query, diagnostics } = checkQueryFile('stats', text, { catalogue });
  if (!query) throw new Error(`The test's query is wrong: ${JSON.stringify(diagnostics)}`);
  return query;
}

export const STATS = queryOf(`SELECT campaign.id, campaign.name, metrics.clicks, segments.date FROM campaign
  WHERE segments.date DURING LAST_7_DAYS`);

export const CUSTOMER = customerId('1234567890');

/** A state file with the queries' table. It need not outlive the machine: nothing waits for the disk. */
export async function stateWith(query: QueryFile): Promise<OpenedState> {
  const state = await stateIn(tempDir());
  onTestFinished(() => state.close());
  state.connection.pragma('synchronous = OFF');
  await ensureQueryTable(state, query);
  return state;
}

export const days = (from: string, to = from): DateRange => ({ from: civilDate(from), to: civilDate(to) });

/** A row of {@link STATS} as the service writes it. */
export const row = (campaign: number, date: string, clicks: number) =>
  `{"campaign":{"id":"${campaign}","name":"c${campaign}"},"metrics":{"clicks":"${clicks}"},"segments":{"date":"${date}"}}`;

export interface Load {
  readonly query?: QueryFile;
  readonly customer?: string;
  readonly days: DateRange | undefined;
  /** The texts of the rows, by pieces; a text alone is a piece as it is. */
  readonly pieces: readonly (readonly string[] | string)[];
  /** Breaks off after the last piece. */
  readonly fails?: boolean;
}

export interface Loaded extends LoadResult {
  /** Rows that were written: a piece that came again is not. */
  readonly written: bigint;
}

/** Loads as extraction does, in a transaction that a failure rolls back. */
export async function loadInto(state: OpenedState, load: Load): Promise<Loaded> {
  return loadIntoStore(state, load);
}

/** The same on any engine. */
export async function loadIntoStore(state: Store, load: Load): Promise<Loaded> {
  const { query = STATS, pieces, fails = false } = load;
  const target = { query, customerId: load.customer ? customerId(load.customer) : CUSTOMER, days: load.days };
  const next = async () => {
    const table = state.db.selectFrom('queryTable').select('nextRow').where('name', '=', query.name);
    return (await table.executeTakeFirstOrThrow()).nextRow;
  };
  const before = await next();
  const result = await state.warehouse.loading(target, async (_, open) => {
    for (const piece of pieces) {
      const text = typeof piece === 'string' ? piece : `[${piece.join(',')}]`;
      await open.add({ json: Buffer.from(text), booleans: /true|false/.test(text) });
    }
    if (fails) throw new Error('The stream broke off.');
    return open.finish();
  });
  return { ...result, written: (await next()) - before };
}

/** All rows of the table but their numbers, in order. */
export function rowsOf(state: OpenedState, columns = 'date, campaign_id, clicks', where = 'true'): unknown[] {
  const order = columns.split(',').map((_, index) => index + 1);
  return state.connection
    .prepare(`SELECT ${columns} FROM stats WHERE ${where} ORDER BY ${order.join(', ')}`)
    .raw()
    .all()
    .map((values) => (values as unknown[]).map((value) => (typeof value === 'bigint' ? Number(value) : value)));
}
