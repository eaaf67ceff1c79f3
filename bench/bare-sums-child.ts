import { addDays } from '../src/domain/civil-date.ts';
import { openState } from '../src/store/sqlite/open-state.ts';
import { CUSTOMER, TODAY } from './bench-query.ts';
import { DAYS } from './many-rules.ts';
import { measure, readJob } from './measurement.ts';
import { BARE_SUMS, type RulesJob } from './rules-job.ts';

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
