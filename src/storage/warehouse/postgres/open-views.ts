import type { StateDb } from '../../records/record-store.ts';
import { type PublishedData, type PublishedSource, publishedData } from '../publish/published-data.ts';
import { ask } from './ask.ts';

/**
 * Undefined if nothing is published. Unlike a published file (`sqlite/published-file.ts`), views change with each load,
 * so no sums are kept.
 */
export async function openViews(db: StateDb): Promise<PublishedData | undefined> {
  const published = await db.selectFrom('publication').select('id').executeTakeFirst();
  if (published === undefined) return undefined;
  const source: PublishedSource = {
    schema: 'warehouse',
    rows: (sql, ...values) => {
      const numbered = sql.split('?').map((part, index) => (index === 0 ? part : `$${index}${part}`));
      return ask(db, numbered.join(''), values);
    },
    columnsOf: async (table) => {
      const columns = await ask<[string]>(
        db,
        "SELECT column_name::text FROM information_schema.columns WHERE table_schema = 'warehouse' AND table_name = $1",
        [table],
      );
      return new Set(columns.map(([name]) => name));
    },
    close: () => undefined,
  };
  return publishedData(source);
}
