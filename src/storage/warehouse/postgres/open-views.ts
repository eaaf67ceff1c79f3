import type { StateDb } from '../../records/record-store.ts';
import { type PublishedData, publishedData } from '../publish/published-data.ts';
import { ask } from './ask.ts';

/**
 * Undefined if nothing is published. Unlike a published file (`sqlite/published-file.ts`), views change with each load,
 * so no sums are kept.
 */
export async function openViews(db: StateDb): Promise<PublishedData | undefined> {
  const published = await db.selectFrom('publication').select('id').executeTakeFirst();
  if (published === undefined) return undefined;
  const columnsOf = async (table: string) => new Set((await ask<[string]>(db, COLUMNS, [table])).flat());
  return publishedData({ db, schema: 'warehouse', columnsOf, close: () => undefined });
}

const COLUMNS = `SELECT column_name::text FROM information_schema.columns
  WHERE table_schema = 'warehouse' AND table_name = $1`;
