import { expect, it } from 'vitest';
import { micros } from '../../src/domain/micros.ts';
import { requireAds } from '../../src/engine/accounts/find-accounts.ts';
import type { App } from '../../src/engine/app.ts';
import { type ChangesTask, changeForRun } from '../../src/engine/change/change-budgets.ts';
import { type EvaluationTask, evaluateForRun } from '../../src/engine/evaluate/share-evaluation.ts';
import { type Inputs, rulesByName } from '../../src/engine/load-inputs.ts';
import type { SharedWork } from '../../src/engine/queue/shared-work.ts';
import { endState } from '../../src/views/report/decision-words.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../support/trim-rule.ts';
import { createWorld, type World } from '../support/world.ts';

const { customerId: EUR, budgetId: BUDGET } = TRIMMED;

/** When the service no longer shows amounts from before the change. */
const LATER = '2026-11-20T15:00:00Z';

class Crash extends Error {}

/** A worker that evaluates and changes. If it dies, the process of the run goes on, as the queue tells it to. */
function worker(passes: (point: string) => void): NonNullable<World['worker']> {
  const work = async (app: App, { rules }: Inputs, { kind, about }: { kind: string; about: unknown }) => {
    const ads = requireAds(app, 'a test');
    if (kind === 'change') return changeForRun({ ...app, passes }, ads, about as ChangesTask);
    if (kind !== 'evaluate') throw new Crash();
    const answer = await evaluateForRun(app, ads, about as EvaluationTask, rulesByName(rules));
    passes('evaluated');
    return answer;
  };
  return (app, inputs): SharedWork => ({
    give: <Result>(order: { kind: string; about: unknown }, here: () => Promise<Result>) =>
      work(app, inputs, order).catch((error) => {
        if (error instanceof Crash) return here();
        throw error;
      }) as Promise<Result>,
    end: async () => undefined,
  });
}

/** Returns the points that the worker passed. It dies at the point with that number. */
async function go(at?: number): Promise<readonly string[]> {
  const world = await createWorld({ queries: TRIM_QUERIES, rules: TRIM_RULES });
  // Each evaluation sees that somebody has changed another budget of the account.
  const account = world.sandbox.market.accounts.find(({ customerId }) => customerId === EUR);
  const other = account?.budgets.find(({ budgetId }) => budgetId !== BUDGET)?.budgetId ?? '';
  world.sandbox.setBudget(EUR, other, micros(70_000_000n));
  const points: string[] = [];
  world.worker = worker((point) => {
    if (points.push(point) - 1 === at) throw new Crash();
  });
  const { run, decisions } = await world.report();
  expect([at, run.exitCode]).toEqual([at, decisions.some((one) => endState(one) === 'unknown') ? 1 : 0]);
  world.worker = undefined;
  world.clock.set(LATER);
  expect((await world.report()).run.exitCode).toBe(0);

  expect(world.sandbox.budgetAmount(EUR, BUDGET)).toBe(51_000_000n);
  const sent = world.sandbox.requests.filter(({ kind, validateOnly }) => kind === 'mutate' && validateOnly === false);
  expect([at, sent.length]).toEqual([at, 1]);
  const made = "SELECT count(*) AS made FROM budget_intent WHERE state IN ('applied', 'confirmed')";
  expect(world.rows('state', made)).toEqual([{ made: 1 }]);
  expect(world.rows('state', 'SELECT budget_id FROM foreign_change')).toEqual([{ budget_id: Number(other) }]);
  return points;
}

it('a worker that dies anywhere leaves exactly one change, and one record of what others changed', async () => {
  const points = await go();
  expect(points).toEqual(expect.arrayContaining(['evaluated', 'mutate:before-send', 'answer:after-commit']));
  for (const at of [...points.keys()]) await go(at);
});
