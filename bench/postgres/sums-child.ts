import { addDays } from '../../src/domain/civil-date.ts';
import { ask } from '../../src/storage/warehouse/postgres/ask.ts';
import { measure, readJob } from '../measurement.ts';
import { CUSTOMER, TODAY } from '../query.ts';
import { DAYS, type RulesJob } from '../rules/rules-job.ts';
import { openStore } from '../store.ts';

const BARE_SUMS = `SELECT campaign_id, sum(clicks) AS clicks, sum(impressions) AS impressions, sum(cost_micros) AS cost
  FROM warehouse.keyword_stats WHERE customer_id = $1 AND date BETWEEN $2 AND $3 GROUP BY campaign_id`;

/** `sums-child.js JOB`: the sums by themselves, on the connection that the product opens. */
const { database, campaigns } = readJob<RulesJob>();
const store = await openStore(database);
try {
  let found = 0;
  await measure(
    async () => {
      found = (await ask(store.db, BARE_SUMS, [CUSTOMER, addDays(TODAY, -DAYS), addDays(TODAY, -1)])).length;
    },
    () => {
      if (found !== campaigns) throw new Error(`Summing: found ${found}, expected ${campaigns} campaigns.`);
    },
  );
} finally {
  await store.close();
}
