import { type CivilDate, daysOf } from '../../src/domain/civil-date.ts';
import { customerId } from '../../src/domain/ids.ts';
import { openPastTable } from '../../src/engine/trial/past-table.ts';
import { readByQuery } from '../../src/language/rules/rule.ts';
import { Conditions } from '../../src/language/trial/conditions.ts';
import { NO_SUMS, runTrials, type TrialMoment } from '../../src/language/trial/run-trial.ts';
import { TrialAccount } from '../../src/language/trial/trial-account.ts';
import { settledDays } from '../../src/storage/records/runs/account-days.ts';
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
const accounts = { with: trial, without: trial };
const conditions = new Conditions({ cooldownMs: 0, repeatMs: Number.POSITIVE_INFINITY });
let sums = NO_SUMS;
try {
  const settled = await settledDays(state.db, readByQuery(rule), trial.customerId);
  await measure(
    async () => {
      const past = { trial, calendar, conversionDays: 0, holidays: new Set<CivilDate>(), settled };
      const seenOn = await openPastTable(state, rule, past, days);
      async function* momentsOf(today: CivilDate): AsyncGenerator<TrialMoment> {
        const { day, how } = await seenOn(today);
        yield { rules: [rule], dayOf: () => day, how };
      }
      const order = { rules: [rule], accounts, momentsOf, conditions, refusals: false };
      const [tried] = await runTrials([order], daysOf(days));
      sums = tried?.sums.get(rule.name) ?? NO_SUMS;
    },
    () => {
      const { looked, data } = sums;
      const expected = campaigns * KEYWORDS * count;
      if (looked !== expected) throw new Error(`Trying: found ${looked} verdicts, expected ${expected}.`);
      if (data.restated !== count) throw new Error(`Trying: found ${data.restated} days restated, expected ${count}.`);
    },
  );
} finally {
  await state.close();
}
