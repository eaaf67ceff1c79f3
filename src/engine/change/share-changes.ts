import { type AdsConnection, OperationCounter } from '../../services/ads/ads-connection.ts';
import { type Intent, intentsById } from '../../storage/records/budgets/intent-table.ts';
import type { App } from '../app.ts';
import { isOpen } from '../budgets/budget-deps.ts';
import { applyIntents, settleIntents } from '../budgets/carry-out.ts';
import type { Ends } from '../budgets/check-intents.ts';
import type { SharedWork } from '../queue/shared-work.ts';
import { type DatedAccount, sendPath, todayOf } from './change-budgets.ts';

/** A worker's order. The records have the changes. */
export interface ChangesTask {
  readonly account: DatedAccount;
  readonly intents: readonly bigint[];
}

interface ChangesAnswer {
  readonly ends: Ends;
  readonly operations: number;
}

/** Lets any worker change the budgets of an account, or this process. Only one at a time does. */
export function shareChanges(shared: SharedWork, app: App, ads: AdsConnection) {
  return async (account: DatedAccount, own: readonly Intent[]): Promise<Ends> => {
    const about: ChangesTask = { account, intents: own.map(({ id }) => id) };
    const order = { kind: 'change', about, priority: 0, isTriedOnce: true } as const;
    const { ends, operations } = await shared.give<ChangesAnswer>(order, async () => {
      return { ends: await applyRecorded(app, ads, about), operations: 0 };
    });
    ads.operations.add(operations);
    return ends;
  };
}

/** Changes the budgets of an account for the run of another process. */
export async function changeForRun(app: App, ads: AdsConnection, task: ChangesTask): Promise<ChangesAnswer> {
  const own = { ...ads, operations: new OperationCounter() };
  return { ends: await applyRecorded(app, own, task), operations: own.operations.count };
}

/** After the death of a worker that had begun, sends nothing more. Reads whether the changes that it sent were made. */
async function applyRecorded(app: App, ads: AdsConnection, { account, intents }: ChangesTask): Promise<Ends> {
  const deps = sendPath(app, ads);
  const today = todayOf(app, account);
  const { customerId } = account;
  // A transaction waits for the last write of the worker.
  const found = await app.state.db.transaction().execute((trx) => intentsById(trx, intents));
  const isNew = ({ state }: Intent) => state === 'planned';
  const begun = found.filter((intent) => isOpen(intent) && !isNew(intent));
  const settled = await settleIntents(deps, customerId, begun, today, () => false);
  const applied = await applyIntents(deps, customerId, found.filter(isNew), today);
  const ended = found.filter((intent) => !isOpen(intent));
  return new Map([...ended.map((intent) => [intent.id, intent] as const), ...settled, ...applied]);
}
