import { join } from 'node:path';
import { budgetId, campaignId, customerId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { insertIntent, moveIntent } from '../../src/storage/records/budgets/intent-table.ts';
import { inTransaction } from '../../src/storage/records/in-transaction.ts';
import { openState } from '../../src/storage/records/sqlite/open-state.ts';
import { readJob } from '../measurement.ts';
import { CUSTOMER, noonMs, TODAY } from '../query.ts';
import type { BudgetsJob } from './pages-job.ts';

/** `fill-budgets-child.js JOB`: a budget for each campaign, which a rule has changed once. */
const { folder, campaigns } = readJob<BudgetsJob>();
const state = await openState(join(folder, 'state.sqlite'));
try {
  await inTransaction(state.db, async (trx) => {
    for (let id = 1; id <= campaigns; id += 1) {
      const change = {
        kind: 'rule',
        origin: 'rule',
        undoes: undefined,
        actor: 'rule trim@1f2e3d4c5b6a',
        customerId: customerId(CUSTOMER),
        budgetId: budgetId(String(id)),
        campaignId: campaignId(String(20_000_000_000 + id)),
        campaignName: `Campaign ${id}`,
        accountDay: TODAY,
        currency: 'USD',
        rule: 'trim',
        ruleVersion: '1f2e3d4c5b6a',
        from: micros(40_000_000n),
        to: micros(34_000_000n),
        amountSource: 'read',
        declared: undefined,
        floor: micros(5_000_000n),
        ceiling: micros(200_000_000n),
        reason: 'cost / clicks = 2.71 > 2.50',
      } as const;
      let intent = await insertIntent(trx, 1n, change, noonMs(TODAY));
      if (intent === undefined) throw new Error('The budget has its change of the day.');
      for (const to of ['validated', 'sending', 'applied'] as const) {
        intent = await moveIntent(trx, intent, { to }, noonMs(TODAY));
      }
    }
  });
} finally {
  await state.close();
}
process.stdout.write('{}');
