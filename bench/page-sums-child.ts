import { join } from 'node:path';
import Database from 'better-sqlite3';
import { measure, readJob } from './measurement.ts';
import { BARE_PAGE_SUMS, type PageJob } from './page-job.ts';

/** `page-sums-child.js JOB`: the statement that the page's numbers cannot do without, and nothing else. */
const { folder, campaigns } = readJob<PageJob>();
const file = new Database(join(folder, 'warehouse.sqlite'), { readonly: true });
let found = 0;
await measure(
  () => {
    found = file.prepare(BARE_PAGE_SUMS).all().length;
  },
  () => {
    if (found !== campaigns) throw new Error(`Summing: found ${found} campaigns, expected ${campaigns}.`);
  },
);
file.close();
