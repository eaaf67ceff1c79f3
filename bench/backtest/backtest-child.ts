import { PastTable } from '../../src/commands/rules/past-table.ts';
import { daysOf } from '../../src/domain/civil-date.ts';
import { customerId } from '../../src/domain/ids.ts';
import { BacktestTally } from '../../src/language/trial/backtest-tally.ts';
import { TrialAccount, tryDay } from '../../src/language/trial/trial-account.ts';
import { openedState } from '../../test/support/state.ts';
import { measure, readJob } from '../measurement.ts';
import { CUSTOMER } from '../query.ts';
import { KEYWORDS } from '../rules/rules-job.ts';
import { type BacktestJob, keywordRule, triedDays } from './backtest-job.ts';

/** `backtest-child.js JOB`: the product's own backtest of a keyword rule for one account, from its table to the rows. */
const { database, campaigns, triedDays: count } = readJob<BacktestJob>();
const rule = keywordRule();
const days = triedDays(count);
const bounds = { dailyTotalMax: undefined, dailyExposureMax: undefined };
const trial = new TrialAccount({ customerId: customerId(CUSTOMER), currency: 'EUR', budgets: [], bounds });
const calendar = { timeZone: 'Europe/Berlin', closesAt: '03:00', settleDays: 0 };
const state = await openedState(database);
try {
  const tally = new BacktestTally(rule, { refusals: false });
  await measure(
    async () => {
      const table = await PastTable.open(state, rule, { trial, calendar, holidays: new Set() }, days);
      for (const today of daysOf(days)) {
        const { day, how } = await table.on(today);
        tally.take(
          today,
          tryDay([rule], trial, today, () => day, tally.keep),
          how,
        );
      }
    },
    () => {
      const { looked, data } = tally.sums();
      const expected = campaigns * KEYWORDS * count;
      if (looked !== expected) throw new Error(`Trying: found ${looked} verdicts, expected ${expected}.`);
      if (data.restated !== count) throw new Error(`Trying: found ${data.restated} days restated, expected ${count}.`);
    },
  );
} finally {
  await state.close();
}
