import { appendEvent } from '../../src/storage/records/budgets/event-table.ts';
import { inTransaction } from '../../src/storage/records/in-transaction.ts';
import { readJob } from '../measurement.ts';
import { openStore } from '../store.ts';

export interface AppendJob {
  readonly database: string;
  readonly events: number;
}

/** `append-child.js JOB`: appends events to the audit trail, each in a transaction of its own. Prints the seconds. */
const { database, events } = readJob<AppendJob>();
const store = await openStore(database);
const startedMs = performance.now();
for (let event = 0; event < events; event += 1) {
  const kind = event % 2 === 0 ? 'freeze_file_found' : 'freeze_file_gone';
  await inTransaction(store.db, (trx) =>
    appendEvent(trx, { intentId: undefined, kind, actor: 'bench', detail: {} }, Date.now()),
  );
}
process.stdout.write(JSON.stringify({ seconds: (performance.now() - startedMs) / 1000 }));
await store.close();
