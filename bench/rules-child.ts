import { addDays } from '../src/domain/civil-date.ts';
import { budgetId, campaignId, customerId } from '../src/domain/ids.ts';
import { micros } from '../src/domain/micros.ts';
import { evaluateRules } from '../src/rules/evaluate/evaluate-rules.ts';
import type { EvaluatedAccount } from '../src/rules/evaluate/evaluated-account.ts';
import { openState } from '../src/store/sqlite/open-state.ts';
import { aggregateMembers } from '../src/warehouse/sqlite/aggregate-members.ts';
import { CUSTOMER } from './bench-query.ts';
import { TODAY } from './bench-query.ts';
import { manyRules } from './many-rules.ts';
import { quarterQuery } from './many-rules.ts';
import { measure, readJob } from './measurement.ts';
import { FIRST_CAMPAIGN } from './rules/rules-job.ts';
import { type RulesJob } from './rules/rules-job.ts';

/** `rules-child.js JOB`: the product's own evaluation of many rules for one account, from its table to the verdicts. */
const { database, campaigns } = readJob<RulesJob>();
const rules = manyRules(quarterQuery());
const account: EvaluatedAccount = {
  ...{ customerId: customerId(CUSTOMER), currency: 'EUR', today: TODAY, lastSettled: addDays(TODAY, -1) },
  settled: () => true,
  ...{ readToday: false, holidays: new Set(), highestOn: () => undefined },
  budgets: new Map(
    Array.from({ length: campaigns }, (_, index) => [
      campaignId(String(FIRST_CAMPAIGN + index)),
      {
        budgetId: budgetId(String(index + 1)),
        campaignName: undefined,
        amount: micros(BigInt(1 + (index % 500)) * 1_000_000n),
      },
    ]),
  ),
};
const state = await openState(database);
try {
  let evaluated = 0;
  await measure(
    () => {
      const evaluations = evaluateRules(
        rules,
        account,
        (demand) => aggregateMembers(state, 'keyword_stats', account.customerId, demand),
        (truth) => truth !== 'false',
      );
      for (const evaluation of evaluations.values()) {
        if (evaluation.kind === 'not') throw new Error(`Evaluating: found ${evaluation.reason}.`);
        evaluated += evaluation.counts.true + evaluation.counts.false + evaluation.counts.unknown;
      }
    },
    () => {
      const expected = rules.reduce((sum, rule) => sum + (rule.for === 'account' ? 1 : campaigns), 0);
      if (evaluated !== expected) throw new Error(`Evaluating: found ${evaluated} verdicts, expected ${expected}.`);
    },
  );
} finally {
  await state.close();
}
