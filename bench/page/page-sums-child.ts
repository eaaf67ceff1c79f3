import { join } from 'node:path';
import Database from 'better-sqlite3';
import { measure, readJob } from '../measurement.ts';
import type { PageJob } from './page-job.ts';

/** The sums that nobody who wants the page's numbers can do without. */
const BARE_PAGE_SUMS = `SELECT campaign_id, sum(clicks), sum(impressions), sum(cost_micros)
  FROM keyword_stats_by_day GROUP BY campaign_id`;

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
