import Database from 'better-sqlite3';
import { loadDescriptions } from '../../src/config/load-catalogue.ts';
import { openState } from '../../src/storage/records/sqlite/open-state.ts';
import { publishWarehouse } from '../../src/storage/warehouse/sqlite/publish.ts';
import { measure, readJob } from '../measurement.ts';
import { benchQuery, noonMs, TODAY } from '../query.ts';
import { checkTotals } from '../totals.ts';
import type { CopyJob } from './publish.ts';

/** `publish-child.js JOB`: the product's own publishing of a state file, over the file that is there. */
const { fields } = loadDescriptions('v25');
const { database, into, expected } = readJob<CopyJob>();
const state = await openState(database);
try {
  await measure(
    async () => {
      await publishWarehouse(state, { path: into, nowMs: noonMs(TODAY), describe: (field) => fields[field] });
    },
    () => {
      const published = new Database(into, { readonly: true });
      checkTotals(published, benchQuery().name, expected);
      published.close();
    },
  );
} finally {
  await state.close();
}
