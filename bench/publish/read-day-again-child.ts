import type { CivilDate } from '../../src/domain/civil-date.ts';
import { customerId } from '../../src/domain/ids.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import type { Column } from '../../src/language/gaql/check/column.ts';
import { openState, type StateFile } from '../../src/storage/records/sqlite/open-state.ts';
import { beginLoad } from '../../src/storage/warehouse/sqlite/load-slice.ts';
import { readJob } from '../measurement.ts';
import { benchQuery, CUSTOMER } from '../query.ts';

/** Rows of a piece: about as many as the product hands to SQLite at once. */
const PIECE_ROWS = 500;

/**
 * `read-day-again-child.js JOB`: loads the newest day of the table once more, by the product's own loading, as a run does
 * that reads a day again. Every row of the day counts as changed; what the table holds stays the same.
 */
const { database } = readJob<{ readonly database: string }>();
const query = benchQuery();
const state = await openState(database);
try {
  const newest = state.connection.prepare('SELECT max(date) FROM keyword_stats WHERE customer_id = ?').pluck();
  const day = civilDate(newest.get(BigInt(CUSTOMER)) as string);
  const rows = rowsOf(state, day);
  await state.db.transaction().execute(async () => {
    const load = beginLoad(state, { query, customerId: customerId(CUSTOMER), days: { from: day, to: day } });
    for (let from = 0; from < rows.length; from += PIECE_ROWS) {
      await load.add({ json: Buffer.from(`[${rows.slice(from, from + PIECE_ROWS).join(',')}]`), booleans: false });
    }
    await load.finish();
  });
  process.stdout.write(JSON.stringify({ rows: rows.length }));
} finally {
  await state.close();
}

/** The day's rows as the service writes them. */
function rowsOf({ connection }: StateFile, day: CivilDate): string[] {
  const stored = connection.prepare('SELECT * FROM keyword_stats WHERE customer_id = ? AND date = ?');
  return (stored.all(BigInt(CUSTOMER), day) as Record<string, unknown>[]).map((row) => rowText(query.columns, row));
}

function rowText(columns: readonly Column[], row: Readonly<Record<string, unknown>>): string {
  const text: Record<string, Record<string, unknown>> = {};
  for (const { name, path } of columns) {
    let place: Record<string, unknown> = text;
    for (const part of path.slice(0, -1)) {
      place[part] ??= {};
      place = place[part] as Record<string, unknown>;
    }
    const value = row[name];
    place[path.at(-1) ?? ''] = typeof value === 'bigint' ? String(value) : value;
  }
  return JSON.stringify(text);
}
