import { addDays } from '../../src/domain/civil-date.ts';
import { openState } from '../../src/storage/records/sqlite/open-state.ts';
import { measure, readJob } from '../measurement.ts';
import { CUSTOMER, TODAY } from '../query.ts';
import { DAYS, type RulesJob } from './rules-job.ts';

/** The statement that someone would write who wants the numbers and no rules. Parameters: customer, from, to. */
const BARE_SUMS = `SELECT campaign_id, sum(clicks), sum(impressions), sum(cost_micros) FROM keyword_stats
  WHERE customer_id = ? AND date BETWEEN ? AND ? GROUP BY campaign_id`;

/** `bare-sums-child.js JOB`: the sums by themselves, on the connection that the product opens. */
const { database, campaigns } = readJob<RulesJob>();
const state = await openState(database);
try {
  let found: readonly unknown[] = [];
  await measure(
    () => {
      const sums = state.connection.prepare(BARE_SUMS).raw();
      found = sums.all(BigInt(CUSTOMER), addDays(TODAY, -DAYS), addDays(TODAY, -1));
    },
    () => {
      if (found.length !== campaigns)
        throw new Error(`Summing: found ${found.length}, expected ${campaigns} campaigns.`);
    },
  );
} finally {
  await state.close();
}
