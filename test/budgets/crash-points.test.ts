import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CRASH_POINTS, type CrashPoint, passesEverywhere } from '../../src/engine/budgets/budget-deps.ts';
import { budgetsNow } from '../../src/engine/budgets/carry-out.ts';
import { compareWithRecord, expectedAmounts, writeDown } from '../../src/engine/budgets/compare-budgets.ts';
import { compareAmounts, verifyAudit } from '../../src/engine/budgets/verify-audit.ts';
import { INTENT_TRANSITIONS, openIntents } from '../../src/storage/records/budgets/intent-table.ts';
import { lastSet } from '../../src/storage/records/budgets/past-changes.ts';
import { EUR } from '../sandbox/sandbox-client.ts';
import { isLong, isThorough, sample } from '../support/effort.ts';
import { byEngine } from '../support/state.ts';
import { WALKS, type Walk } from './crash-walks.ts';
import { type ChangingSandbox, CUSTOMER, changingSandbox, type SendPath, sendPath } from './send-path.ts';

class Crash extends Error {}

let service: ChangingSandbox;
beforeAll(async () => {
  service = await changingSandbox();
});
afterAll(() => service.sandbox.close());

async function freshPath(): Promise<SendPath> {
  const account = service.sandbox.market.accounts.find(({ customerId }) => customerId === EUR);
  for (const { budgetId, amountMicros } of account?.budgets ?? []) {
    const changed = service.sandbox.budgetAmount(EUR, budgetId) !== amountMicros;
    if (changed) service.sandbox.setBudget(EUR, budgetId, amountMicros);
  }
  service.fault = undefined;
  return sendPath({ sandbox: service });
}

interface Passed {
  readonly points: readonly CrashPoint[];
  /** Steps of intents that are committed between a crash point before and one after. */
  readonly transitions: ReadonlySet<string>;
  readonly path: SendPath;
  readonly crashed: boolean;
}

/** Goes a walk, to its end or to the place with that number. */
async function go(walk: Walk, crashAt?: number): Promise<Passed> {
  const path = await freshPath();
  await walk.prepare?.(path);
  const points: CrashPoint[] = [];
  const transitions = new Set<string>();
  let pending: string[] = [];
  let seen = lastEvent(path);
  path.fault = walk.fault?.(path);
  path.passes = (point) => {
    walk.at?.(path, point);
    if (point.endsWith(':before-commit')) pending = stepsSince(path, seen);
    if (point.endsWith(':after-commit')) {
      for (const step of pending) transitions.add(step);
      seen = lastEvent(path);
    }
    if (points.push(point) - 1 === crashAt) throw new Crash();
  };
  const crashed = await walk.act(path).then(
    () => false,
    (error: unknown) => {
      if (error instanceof Crash) return true;
      throw error;
    },
  );
  path.passes = passesEverywhere;
  path.fault = undefined;
  return { points, transitions, path, crashed };
}

const lastEvent = (path: SendPath) => path.rows('SELECT max(id) AS id FROM budget_event')[0]?.id ?? 0n;

/** "unknown → confirmed" of each event since that one; the first event of an intent is no step. */
function stepsSince(path: SendPath, seen: unknown): string[] {
  const rows = path.rows(
    `SELECT kind, detail ->> 'state_before' AS before, EXISTS (SELECT 1 FROM budget_event AS earlier
       WHERE earlier.intent_id = event.intent_id AND earlier.id < event.id) AS known
     FROM budget_event AS event WHERE id > ${seen} AND intent_id IS NOT NULL`,
  );
  return rows.flatMap(({ kind, before, known }) => {
    if (before !== null) return [`${before} → ${kind}`];
    return kind === 'planned' && known ? ['expired → planned'] : [];
  });
}

/** The next run: settles what is open, compares the budgets with the record, and decides anew where nothing was decided today. */
async function nextRun(path: SendPath): Promise<void> {
  rmSync(join(path.folder, 'FREEZE'), { force: true });
  await path.restart();
  await path.settle();
  const { db } = path.state;
  const book = await budgetsNow(path.deps, CUSTOMER);
  const record = await expectedAmounts(db, CUSTOMER);
  const compared = await compareWithRecord({ ...path.deps, db }, book, CUSTOMER, record, path.today());
  await writeDown(db, CUSTOMER, compared, path.deps);
  const live = path.budgets.map((budget) => ({
    ...budget,
    amount: service.sandbox.budgetAmount(EUR, budget.budgetId),
  }));
  await path.apply(await path.plan(3, {}, live));
}

/** What must hold however the process died. */
async function check(path: SendPath): Promise<void> {
  expect(await openIntents(path.state.db)).toEqual([]);
  const intents = await path.intents();
  const ledger = await lastSet(path.state.db, CUSTOMER);
  for (const { budgetId, amount } of path.budgets) {
    const now = service.sandbox.budgetAmount(EUR, budgetId);
    const own = intents.filter((intent) => intent.budgetId === budgetId);
    const made = own.filter(({ state }) => state === 'applied' || state === 'confirmed');
    // A rule's decision changes a budget once a day at most, and everything that changed it is in the ledger.
    expect(made.filter(({ kind }) => kind === 'rule').length).toBeLessThanOrEqual(1);
    expect(now).toBe(ledger.get(budgetId)?.to ?? amount);
    // What is sent is what was decided, and once it is made it is not sent again.
    const sent = path.operations().filter((operation) => operation.budgetId === budgetId);
    for (const one of sent) expect((one.made ? made : own).map(({ to }) => to)).toContain(one.amount);
    for (const { to, id } of made)
      expect([id, sent.filter((one) => one.made && one.amount === to).length]).toEqual([id, 1]);
  }
  expect(path.unrecorded()).toEqual([]);
  const alerts = path.rows('SELECT dedupe_key, text FROM alert').map(({ text }) => `${text}`);
  expect(new Set(alerts).size).toBe(alerts.length);
  for (const { id, state } of intents) {
    const told = alerts.filter((text) => new RegExp(`\\bB${id}\\b`).test(text.split('\n').at(-1) ?? ''));
    expect(
      told.filter((text) =>
        /^(Budget change(d| undone by anna| confirmed)|Undo of a budget change, requested by anna, confirmed):/.test(
          text,
        ),
      ).length,
    ).toBe(state === 'applied' || state === 'confirmed' ? 1 : 0);
  }
  const { broken, differences, replayed } = await verifyAudit(path.state);
  const live = new Map(path.budgets.map(({ budgetId }) => [budgetId, service.sandbox.budgetAmount(EUR, budgetId)]));
  expect([broken, differences, compareAmounts(replayed, CUSTOMER, live)]).toEqual([[], [], []]);
  await path.end();
}

/** What the walks pass that went to their end. */
const passed = new Map<Walk, Pick<Passed, 'points' | 'transitions'>>();

/** `npm run test:long` goes every walk on PostgreSQL too, and dies everywhere there. */
const everywhere = byEngine({ sqlite: isThorough, postgres: isLong });
const walks = byEngine({ sqlite: sample(WALKS), postgres: isLong ? WALKS : WALKS.filter((_, at) => at % 3 === 0) });

/** Of how many places of a walk the sample has one. */
const SAMPLE_STRIDE = 20;
/** The crash points at which a process has died in any walk so far. */
const diedAt = new Set<CrashPoint>();

/**
 * Where a process dies on this walk: everywhere in the thorough run. The sample has places that no walk before it had,
 * and of the others every twentieth. Each walk begins to count at another place, so that all together reach every step.
 */
function placesToDieAt(walk: Walk, points: readonly CrashPoint[]): number[] {
  const first = WALKS.indexOf(walk) % Math.min(SAMPLE_STRIDE, points.length);
  const chosen = points.flatMap((point, at) => {
    const isNew = !diedAt.has(point);
    diedAt.add(point);
    return everywhere || isNew || at % SAMPLE_STRIDE === first ? [at] : [];
  });
  expect(chosen).not.toEqual([]);
  return chosen;
}

describe('the next run repairs a crash at any place of the send path', () => {
  it.each(walks)('$name', async (walk) => {
    const whole = await go(walk);
    passed.set(walk, whole);
    expect(whole.points.length).toBeGreaterThan(0);
    await nextRun(whole.path);
    await check(whole.path);
    for (const at of placesToDieAt(walk, whole.points)) {
      const { path, crashed, points } = await go(walk, at);
      expect([crashed, points.at(-1)]).toEqual([true, whole.points[at]]);
      await nextRun(path);
      await check(path);
    }
  });
});

describe('the walks', () => {
  it('cover every crash point, and every step of an intent between two of them', async () => {
    const points = new Set<CrashPoint>();
    const transitions = new Set<string>();
    for (const walk of WALKS) {
      const whole = passed.get(walk) ?? (await go(walk));
      for (const point of whole.points) points.add(point);
      for (const step of whole.transitions) transitions.add(step);
    }
    expect([...points].sort()).toEqual([...CRASH_POINTS].sort());
    const all = Object.entries(INTENT_TRANSITIONS).flatMap(([from, next]) => next.map((to) => `${from} → ${to}`));
    // Only a change that an earlier version left takes this step (`settle-intents.test.ts`).
    const steps = all.filter((step) => step !== 'planned → unknown');
    // PostgreSQL shows nobody else what is not committed.
    expect([...transitions].sort()).toEqual(byEngine({ sqlite: steps.sort(), postgres: [] }));
  });
});
