import { copyInto, copyLine } from '../../src/storage/records/postgres/copy-into.ts';
import { loadSimply } from './load-simply.ts';

/** `copy-child.js JOB`: C of the comparison, one COPY for each batch. While the server stores it, the next one is parsed. */
await loadSimply(async (trx, batches) => {
  let storing = Promise.resolve();
  for await (const rows of batches) {
    const lines = rows.map((row) => copyLine(Object.values(row)));
    await storing;
    const statement = `COPY warehouse.keyword_stats (${Object.keys(rows[0] ?? {})}) FROM STDIN`;
    storing = copyInto(trx, statement, Buffer.from(lines.join('')));
  }
  await storing;
});
