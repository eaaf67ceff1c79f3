import { loadSimply } from './load-simply.ts';

/** Of these, 16 values a row stay below the 65,535 that one statement takes. */
const ROWS_PER_STATEMENT = 2_000;

/** `insert-child.js JOB`: K of the comparison, kysely's `values` with many rows a statement. */
await loadSimply(async (transaction, batches) => {
  const trx = transaction.withoutPlugins().withTables<{ 'warehouse.keyword_stats': Record<string, unknown> }>();
  for await (const rows of batches) {
    for (let first = 0; first < rows.length; first += ROWS_PER_STATEMENT) {
      const values = rows.slice(first, first + ROWS_PER_STATEMENT);
      await trx.insertInto('warehouse.keyword_stats').values(values).execute();
    }
  }
});
