import { addDays, type CivilDate, type DateRange } from '../domain/civil-date.ts';
import { forgetPublication } from '../store/runs/publication-table.ts';
import type { StateDb, StateFile } from '../store/sqlite/open-state.ts';
import { identifier } from './query-table.ts';

/** What a query's table holds. */
export interface HeldRows {
  readonly rows: bigint;
  /** The days that were read of any account, those that follow each other as one range; empty for a query without days. */
  readonly days: readonly DateRange[];
}

/** Undefined when there is no table of that name. */
export async function heldRows({ db, connection }: StateFile, name: string): Promise<HeldRows | undefined> {
  const table = await db.selectFrom('queryTable').select('name').where('name', '=', name).executeTakeFirst();
  if (table === undefined) return undefined;
  const count = connection.prepare(`SELECT count(*) FROM main.${identifier(name)}`).pluck();
  return { rows: count.get() as bigint, days: await readDays(db, name) };
}

async function readDays(db: StateDb, name: string): Promise<DateRange[]> {
  const rows = await db
    .selectFrom('accountDay')
    .select('date')
    .distinct()
    .where('query', '=', name)
    .orderBy('date')
    .execute();
  const ranges: { from: CivilDate; to: CivilDate }[] = [];
  for (const { date: day } of rows) {
    const last = ranges.at(-1);
    if (last && addDays(last.to, 1) === day) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges;
}

/** Takes a query's table away, with all that is known of its days; the record of readings stays. */
export async function dropQueryTable({ db, connection }: StateFile, name: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const row = await trx.deleteFrom('queryTable').where('name', '=', name).returning('name').executeTakeFirst();
    if (row === undefined) return;
    connection.exec(`DROP TABLE main.${identifier(name)}`);
    forgetPublication(connection);
    await trx.deleteFrom('accountDay').where('query', '=', name).execute();
    await trx.deleteFrom('loadedPiece').where('query', '=', name).execute();
  });
}
