import { describe, expect, it } from 'vitest';
import { budgetId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import type { BudgetDeps } from '../../src/engine/budgets/budget-deps.ts';
import { checkIntents, endAll, leftOpen } from '../../src/engine/budgets/check-intents.ts';
import type { BudgetBook } from '../../src/engine/budgets/read-budgets.ts';
import {
  type Intent,
  type IntentStep,
  intentById,
  type NewIntent,
} from '../../src/storage/records/budgets/intent-table.ts';
import { fakeClock } from '../support/fake-time.ts';
import { APPLIED, freshStore, intentAfter, UNKNOWN } from '../support/state.ts';

const BUDGET = budgetId('201');
const [OLD, TARGET, OTHER] = [40n, 34n, 50n].map((units) => micros(units * 1_000_000n));
const DECLARED = { amountSource: 'declared', declared: OLD } as const;
const NEVER_SENT: readonly IntentStep['to'][] = [];
const WEDNESDAY = civilDate('2026-11-18');
const RAISED = { accountDay: civilDate('2026-11-19'), from: micros(34_000_000n), to: micros(40_000_000n) };
const DIED = ['validated', 'sending'] as const;

type Amount = typeof OLD;

/** What is read of the budget, beside another one. */
function book(amount: Amount, other: Partial<BudgetBook> = {}): BudgetBook {
  const amounts = new Map([[budgetId('202'), micros(1_000_000n)]]);
  if (amount !== undefined) amounts.set(BUDGET, amount);
  const none = {
    byCampaign: new Map(),
    removed: new Set<never>(),
    unreadable: new Map<never, never>(),
    declared: new Map(),
  };
  return { source: 'read', readAt: '2026-11-20T12:01:00Z', ...none, amounts, ...other };
}

const UNSHOWN = book(undefined, {
  unreadable: new Map([[BUDGET, { budgetId: BUDGET, campaigns: [], total: undefined }]]),
});

/** What is believed of the budget, and what the settings say. */
function believed(amount: Amount, said: Amount): BudgetBook {
  return book(amount, { source: 'declared', declared: new Map(said === undefined ? [] : [[BUDGET, said]]) });
}

async function world(readLagMs = 0) {
  const state = await freshStore();
  const passed: string[] = [];
  const passes = (point: string) => void passed.push(point);
  const clock = fakeClock('2026-11-20T12:01:00Z');
  const deps = { state, clock, passes, locale: () => undefined, readLagMs };
  const rows = (sql: string) => state.connection.prepare(sql).all() as Record<string, unknown>[];
  return { state, deps: deps as unknown as BudgetDeps, passed, rows };
}

interface Checking {
  readonly mayResend?: boolean;
  readonly other?: Partial<NewIntent>;
  readonly readLagMs?: number;
  /** Changes that were made before. */
  readonly before?: readonly Partial<NewIntent>[];
}

async function check(
  steps: readonly IntentStep['to'][],
  seen: BudgetBook,
  { mayResend = true, other = {}, readLagMs, before = [] }: Checking = {},
) {
  const { state, deps, passed, rows } = await world(readLagMs);
  for (const earlier of before) await intentAfter(state, APPLIED, earlier);
  const intent = await intentAfter(state, steps, other);
  const options = { accountDay: () => civilDate('2026-11-21'), mayResend: () => mayResend };
  const unchecked = [{ intent, sentBefore: steps.includes('sending') }];
  const { goOn: ready, ends } = await checkIntents(deps, seen, intent.customerId, unchecked, options);
  const now = await intentById(state.db, intent.id);
  return { intent, ready, now, end: ends.get(intent.id), passed, rows };
}

type Case = readonly [
  sentence: string,
  steps: readonly IntentStep['to'][],
  seen: BudgetBook,
  options: Parameters<typeof check>[2],
  end: string,
  code: Intent['code'],
];

describe('a change and its budget', () => {
  it.each<Case>([
    [
      'the target amount before sending is a foreign change',
      NEVER_SENT,
      book(TARGET),
      {},
      'superseded',
      'FOREIGN_CHANGE',
    ],
    ['another amount is a foreign change', NEVER_SENT, book(OTHER), {}, 'superseded', 'FOREIGN_CHANGE'],
    ['a removed budget ends it', NEVER_SENT, removed(OLD), {}, 'superseded', 'BUDGET_REMOVED'],
    ['the service shows no amount', NEVER_SENT, UNSHOWN, {}, 'planned', 'NOT_READ'],
    ['the service no longer shows an amount', UNKNOWN, UNSHOWN, {}, 'unknown', 'NOT_READ'],
    ['no amount was read, but one is needed', NEVER_SENT, believed(OLD, OLD), {}, 'planned', 'NOT_READ'],
    [
      'an amount is no longer declared',
      NEVER_SENT,
      believed(undefined, undefined),
      { other: DECLARED },
      'planned',
      'NOT_READ',
    ],
    [
      'another amount was declared before sending',
      NEVER_SENT,
      believed(OTHER, OTHER),
      { other: DECLARED },
      'superseded',
      'FOREIGN_CHANGE',
    ],
    [
      'another amount was set before sending, with unchanged settings',
      NEVER_SENT,
      believed(OTHER, OLD),
      { other: DECLARED },
      'superseded',
      'FOREIGN_CHANGE',
    ],
    ['the target amount after sending', UNKNOWN, book(TARGET), {}, 'confirmed', undefined],
    ['the target amount, although the budget was removed since', UNKNOWN, removed(TARGET), {}, 'confirmed', undefined],
    ['another amount after sending', UNKNOWN, book(OTHER), {}, 'superseded', 'FOREIGN_CHANGE'],
    ['the old amount of a removed budget', UNKNOWN, removed(OLD), {}, 'superseded', 'BUDGET_REMOVED'],
    ['no amount was read, but one was before', UNKNOWN, believed(OLD, OLD), {}, 'unknown', 'NOT_READ'],
    [
      'a person corrected the declaration after sending',
      UNKNOWN,
      believed(OTHER, OTHER),
      { other: DECLARED },
      'superseded',
      'FOREIGN_CHANGE',
    ],
    ['it may not be sent again', UNKNOWN, book(OLD), { mayResend: false }, 'rejected', 'AUTOMATION_OFF'],
    [
      'it may not be sent again, and its outcome is unknown',
      UNKNOWN,
      believed(OLD, OLD),
      { other: DECLARED, mayResend: false },
      'unknown',
      'AUTOMATION_OFF',
    ],
    ['the process died, and the target amount is set', DIED, book(TARGET), {}, 'confirmed', undefined],
    ['the process died, and another amount is set', DIED, book(OTHER), {}, 'superseded', 'FOREIGN_CHANGE'],
  ])('%s', async (_, steps, seen, options, end, code) => {
    const { ready, now, end: ended, rows } = await check(steps, seen, options);
    expect([ended?.state, now?.code, ready]).toEqual([end, code, []]);
    expect(now).toEqual(ended);
    const found = seen.amounts.get(BUDGET);
    const [foreign, ...more] = rows('SELECT * FROM foreign_change');
    const expected = { expected_micros: OLD, found_micros: found, account_day: '2026-11-21', intent_id: now?.id };
    if (code === 'FOREIGN_CHANGE') expect(foreign).toMatchObject(expected);
    else expect(foreign).toBeUndefined();
    expect(more).toEqual([]);
    const [event] = rows(`SELECT detail FROM budget_event ORDER BY id DESC LIMIT 1 OFFSET ${foreign ? 1 : 0}`);
    if (end === 'superseded' || end === 'confirmed')
      expect(JSON.parse(`${event?.detail}`)).toMatchObject({
        read: { source: seen.source, amount_micros: `${found}` },
      });
    if (code === 'FOREIGN_CHANGE') {
      const live = `${(found ?? 0n) / 1_000_000n}.00 EUR`;
      expect(now?.outcome).toBe(`Expected 40.00 EUR, but the budget is now ${live}.`);
    }
  });

  it.each<[string, Amount, readonly Partial<NewIntent>[]]>([
    ['its old amount', OLD, []],
    ['the target, which it had shortly before', TARGET, [{ accountDay: WEDNESDAY }, RAISED]],
  ])('after sending stays in doubt if a late reading may show %s', async (_, amount, before) => {
    const { now } = await check(UNKNOWN, book(amount), { readLagMs: 15 * 60_000, before });
    expect(now).toMatchObject({ state: 'unknown', code: 'AMOUNT_IN_DOUBT' });
    expect(now?.outcome).toMatch(/ A read after 2026-11-20 12:1\d:\d\d UTC shows the outcome\.$/);
  });

  it('after sending is confirmed although the budget had the target before, at a time from before the clock was set back', async () => {
    const seen = book(TARGET, { readAt: '2026-11-20T11:00:00Z' });
    const { now } = await check(UNKNOWN, seen, { readLagMs: 15 * 60_000, before: [{ accountDay: WEDNESDAY }, RAISED] });
    expect(now?.state).toBe('confirmed');
  });

  it.each([
    ['before sending', NEVER_SENT],
    ['after sending', UNKNOWN],
  ] as const)('%s is over when the budget no longer exists, which is nobody’s amount', async (_, steps) => {
    const { now, end, rows } = await check(steps, book(undefined));
    expect([now?.code, end]).toMatchObject([
      'FOREIGN_CHANGE',
      { state: 'superseded', outcome: 'Expected 40.00 EUR, but the budget no longer exists.' },
    ]);
    expect(rows('SELECT * FROM foreign_change')).toEqual([]);
  });

  it('stays in doubt after sending if no budget is shown, and ends if never sent', async () => {
    const nothing = book(undefined, { amounts: new Map() });
    expect((await check(UNKNOWN, nothing)).now).toMatchObject({ state: 'unknown', code: 'NOT_READ' });
    expect((await check(NEVER_SENT, nothing)).now).toMatchObject({ state: 'superseded' });
  });
});

describe('a change that may be sent', () => {
  it.each<[string, readonly IntentStep['to'][], BudgetBook, Partial<NewIntent>, boolean]>([
    ['shows its old amount', NEVER_SENT, book(OLD), {}, true],
    ['has its old amount by declaration', NEVER_SENT, believed(OLD, OLD), DECLARED, false],
    ['shows its old amount after sending', UNKNOWN, book(OLD), {}, true],
    ['cannot be read, with unchanged settings', UNKNOWN, believed(TARGET, OLD), DECLARED, false],
    ['cannot be read, and the settings declare the target', UNKNOWN, believed(TARGET, TARGET), DECLARED, false],
    [
      'cannot be read, and the earlier settings are unknown',
      UNKNOWN,
      believed(OTHER, OTHER),
      { ...DECLARED, declared: undefined },
      false,
    ],
    [
      'cannot be read, and the settings were corrected to the old amount',
      UNKNOWN,
      believed(OLD, OLD),
      { ...DECLARED, declared: OTHER },
      false,
    ],
  ])('%s: nothing is recorded', async (_, steps, seen, other, provenUnmade) => {
    const { intent, ready, end, passed } = await check(steps, seen, { other });
    const read = { source: seen.source, amount_micros: seen.amounts.get(BUDGET) };
    expect(ready).toEqual([{ intent, sentBefore: steps !== NEVER_SENT, provenUnmade, read }]);
    expect([end, passed]).toEqual([undefined, []]);
  });

  it('of a dead process becomes in doubt, without a report yet', async () => {
    const { ready, now, end, rows } = await check(DIED, book(OLD));
    expect(now).toMatchObject({ state: 'unknown', code: 'NO_ANSWER' });
    expect(ready).toMatchObject([{ intent: now, sentBefore: true, provenUnmade: true }]);
    expect([end, rows('SELECT * FROM alert')]).toEqual([undefined, []]);
  });

  it('continues beside one of a dead process, which is in doubt', async () => {
    const { state, deps } = await world();
    const died = await intentAfter(state, DIED);
    const fine = await intentAfter(state, [], { budgetId: budgetId('202'), from: micros(1_000_000n) });
    const unchecked = [
      { intent: died, sentBefore: true },
      { intent: fine, sentBefore: false },
    ];
    const options = { accountDay: () => civilDate('2026-11-20'), mayResend: () => true };
    const { goOn } = await checkIntents(deps, book(OLD), died.customerId, unchecked, options);
    expect(goOn.map(({ intent }) => intent.state)).toEqual(['unknown', 'planned']);
  });

  it('continues beside a finished one', async () => {
    const { state, deps } = await world();
    const over = await intentAfter(state, []);
    const fine = await intentAfter(state, [], { budgetId: budgetId('202'), from: micros(1_000_000n) });
    const unchecked = [over, fine].map((intent) => ({ intent, sentBefore: false }));
    const options = { accountDay: () => civilDate('2026-11-20'), mayResend: () => false };
    const { goOn, ends } = await checkIntents(deps, book(OTHER), over.customerId, unchecked, options);
    expect(goOn.map(({ intent }) => intent)).toEqual([fine]);
    expect([...ends].map(([id, { state }]) => [id, state])).toEqual([[over.id, 'superseded']]);
  });
});

describe('unchanged changes', () => {
  it('say why, and sent ones are in doubt', async () => {
    const { state, deps } = await world();
    const fresh = await intentAfter(state, ['validated']);
    const sent = await intentAfter(state, DIED, { budgetId: budgetId('202') });
    const unchecked = [
      { intent: fresh, sentBefore: false },
      { intent: sent, sentBefore: true },
    ];
    const ends = await endAll(deps, unchecked, (one) => leftOpen(one, 'STOPPED', 'Later.'));
    const now = await Promise.all([fresh, sent].map(({ id }) => intentById(state.db, id)));
    expect(now.map((intent) => [intent?.state, intent?.code])).toEqual([
      ['planned', 'STOPPED'],
      ['unknown', 'STOPPED'],
    ]);
    expect([...ends.values()]).toEqual(now);
  });

  it('cause no commit if there are none', async () => {
    const { deps, passed } = await world();
    await endAll(deps, [], (one) => leftOpen(one, 'STOPPED', 'Later.'));
    expect(passed).toEqual([]);
  });
});

function removed(amount: Amount): BudgetBook {
  return book(amount, { removed: new Set([BUDGET]) });
}
