import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { budgetId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { batchesOf } from '../../src/engine/budgets/carry-out.ts';
import type { Fault } from '../../src/sandbox/fault-modes.ts';
import type { Intent } from '../../src/storage/records/budgets/intent-table.ts';
import { EUR } from '../sandbox/sandbox-client.ts';
import { sample } from '../support/effort.ts';
import { CUT, onChange, onReading, onValidation, type SendPath, saying, sendPath } from './send-path.ts';

const old = (path: SendPath, count: number) => path.budgets.slice(0, count).map(({ amount }) => amount);
const cutOf = (path: SendPath, count: number) => old(path, count).map((amount) => amount - CUT);
const now = (path: SendPath, count: number) => path.amounts().slice(0, count);
const events = (path: SendPath) =>
  path.rows('SELECT kind FROM budget_event ORDER BY id').map(({ kind }) => kind as string);
const alerts = (path: SendPath) => path.rows('SELECT text FROM alert ORDER BY id').map(({ text }) => text as string);

describe('a change with a lost answer', () => {
  it.each(
    sample<[string, Fault, boolean]>([
      ['the connection is reset before the change', { kind: 'reset_before' }, false],
      ['the connection is reset after the change', { kind: 'reset_after' }, true],
      ['a gateway answers 503', { kind: 'status', status: 503 }, false],
      ['the answer is an HTML page with status 200', { kind: 'html' }, false],
      ['the answer is HTML said to be JSON', { kind: 'replace', body: '<html>ok</html>' }, true],
      ['the answer names another budget', { kind: 'replace', body: '{"results":[{"resourceName":"x"}]}' }, true],
      ['the answer has fewer results than operations', { kind: 'replace', body: '{"results":[]}' }, true],
      ['the answer has more results than operations', { kind: 'replace', body: '{"results":[{},{}]}' }, true],
      ['the answer is cut off', { kind: 'cut', afterBytes: 10 }, true],
      ['the answer is cut off and ends cleanly', { kind: 'truncate', afterBytes: 10 }, true],
      ['the error belongs to no operation', { kind: 'replace', body: '{"partialFailureError":{"code":2}}' }, true],
    ]),
  )('is in doubt, reported once and sent once: %s', async (_, fault, made) => {
    const path = await sendPath();
    path.fault = onChange(fault);
    expect(await path.change()).toEqual(['unknown']);
    expect(await path.states()).toEqual(['unknown']);
    expect(now(path, 1)).toEqual(made ? cutOf(path, 1) : old(path, 1));
    expect(path.sends()).toHaveLength(1);
    expect(alerts(path)).toEqual([expect.stringContaining('it may have been made')]);
  });

  it('is in doubt after a timeout, although it was made', async () => {
    const path = await sendPath({ timeouts: { connectMs: 1000, headersMs: 200, bodyIdleMs: 200 } });
    path.fault = onChange({ kind: 'hang_after' });
    expect(await path.change()).toEqual(['unknown']);
    expect([now(path, 1), path.sends().length]).toEqual([cutOf(path, 1), 1]);
  });
});

describe('a batch', () => {
  it('has one validation, one commit of `sending`, one change and one commit of the answers', async () => {
    const path = await sendPath();
    const commits: string[] = [];
    path.passes = (point) => void commits.push(point);
    expect(await path.change(3)).toEqual(['applied', 'applied', 'applied']);
    expect(now(path, 3)).toEqual(cutOf(path, 3));
    const { requests } = path.sandbox;
    expect(requests.map(({ kind, validateOnly }) => [kind, validateOnly])).toEqual([
      ['stream', undefined],
      ['mutate', true],
      ['mutate', false],
    ]);
    expect(commits).toEqual([
      'plan:before-commit',
      'plan:after-commit',
      'validate:before-send',
      'validate:after-answer',
      'validated:before-commit',
      'validated:after-commit',
      'sending:before-commit',
      'sending:after-commit',
      'mutate:before-send',
      'mutate:after-answer',
      'answer:before-commit',
      'answer:after-commit',
    ]);
    expect(alerts(path)).toHaveLength(3);
  });

  it('separates partial failures from successes, each with its own reason', async () => {
    const path = await sendPath();
    const errorCode = { campaignBudgetError: 'CAMPAIGN_BUDGET_REMOVED' };
    path.fault = onChange({ kind: 'refuse_operations', indexes: [1], errorCode });
    expect(await path.change(3)).toEqual(['applied', 'rejected', 'applied']);
    const amounts = now(path, 3);
    expect(amounts).toEqual([cutOf(path, 3)[0], old(path, 3)[1], cutOf(path, 3)[2]]);
    expect((await path.intents()).map(({ state, code }) => [state, code])).toEqual([
      ['applied', undefined],
      ['rejected', 'campaignBudgetError.CAMPAIGN_BUDGET_REMOVED'],
      ['applied', undefined],
    ]);
  });

  it('doubts only the operation whose result names another budget', async () => {
    const path = await sendPath();
    const name = (index: number) => ({
      resourceName: `customers/${EUR}/campaignBudgets/${path.budgets[index]?.budgetId}`,
    });
    path.fault = onChange({ kind: 'replace', body: JSON.stringify({ results: [name(0), name(0), name(2)] }) });
    expect(await path.change(3)).toEqual(['applied', 'unknown', 'applied']);
  });

  it('omits operations that the validation refuses, and sends the rest', async () => {
    const path = await sendPath();
    const errorCode = { campaignBudgetError: 'BUDGET_BELOW_PER_DAY_MINIMUM' };
    path.fault = onValidation({ kind: 'refuse_operations', indexes: [0, 2], errorCode });
    expect(await path.change(3)).toEqual(['rejected', 'applied', 'rejected']);
    expect(path.sends()).toEqual([[path.budgets[1]?.budgetId]]);
  });

  it('repeats only operations that were certainly not processed', async () => {
    const path = await sendPath();
    let times = 0;
    const errorCode = { databaseError: 'CONCURRENT_MODIFICATION' };
    path.fault = (request) =>
      request.kind === 'mutate' && !request.validateOnly && times++ === 0
        ? { kind: 'refuse_operations', indexes: [1], errorCode }
        : undefined;
    expect(await path.change(3)).toEqual(['applied', 'applied', 'applied']);
    const ids = path.budgets.slice(0, 3).map(({ budgetId: id }) => id);
    expect(path.sends()).toEqual([ids, [ids[1]]]);
  });

  it('is split at the limit of operations', async () => {
    const path = await sendPath();
    path.operationsMax = 2;
    expect(await path.change(5)).toEqual(Array(5).fill('applied'));
    expect(path.sends().map((ids) => ids.length)).toEqual([2, 2, 1]);
  });

  it('never contains a budget twice, and keeps the order of each budget', () => {
    const intents = [...'aabca'].map((name, index) => ({
      id: BigInt(index),
      budgetId: budgetId(`${name.charCodeAt(0)}`),
    }));
    const shown = (most: number) =>
      batchesOf(intents as Intent[], most).map((batch) => batch.map(({ id }) => Number(id)));
    expect(shown(10)).toEqual([[0, 2, 3], [1], [4]]);
    expect(shown(2)).toEqual([[0, 2], [1, 3], [4]]);
    expect(shown(1)).toEqual([[0], [1], [2], [3], [4]]);
  });
});

describe('a change that is not made', () => {
  it.each(
    sample<[string, SendPath['fault'], string, string]>([
      ['the validation cannot be reached', onValidation({ kind: 'reset_before' }), 'planned', 'planned'],
      ['the validation answers an HTML page', onValidation({ kind: 'html' }), 'planned', 'planned'],
      ['the validation is refused', onValidation(saying(400)), 'rejected', 'rejected'],
      ['the change is refused', onChange(saying(400)), 'rejected', 'rejected'],
      ['the quota is used up', onChange(saying(429)), 'unknown', 'unknown'],
      ['the budgets cannot be read', onReading({ kind: 'status', status: 503 }), 'planned', 'planned'],
      ['the list of budgets is refused', onReading({ kind: 'status', status: 400 }), 'planned', 'planned'],
      ['the list of budgets is empty', onReading({ kind: 'replace', body: '[]' }), 'superseded', 'superseded'],
    ]),
  )('says so, and the next run decides again or not at all: %s', async (_, fault, kind, state) => {
    const path = await sendPath();
    path.fault = fault;
    expect([await path.change(), await path.states()]).toEqual([[kind], [state]]);
    expect(now(path, 1)).toEqual(old(path, 1));
    path.fault = undefined;
    const settled = await path.settle();
    const next: Readonly<Record<string, string[]>> = { planned: ['expired'], unknown: ['applied'] };
    expect(settled.map(({ state }) => state)).toEqual(next[state] ?? []);
    expect(now(path, 1)).toEqual(state === 'unknown' ? [(old(path, 1)[0] ?? 0n) - CUT] : old(path, 1));
  });

  it('counts for the day on which it is sent, if midnight passes during the request', async () => {
    const path = await sendPath();
    path.clock.set('2026-11-20T22:59:59Z');
    const intents = await path.plan();
    path.fault = ({ kind, validateOnly }) => {
      if (kind === 'mutate' && validateOnly) path.clock.set('2026-11-20T23:00:01Z');
      return undefined;
    };
    await path.apply(intents);
    expect((await path.intents()).map(({ accountDay, state }) => [accountDay, state])).toEqual([
      ['2026-11-21', 'applied'],
    ]);
  });

  it('is repeated within the limits after a 429, and made once', async () => {
    const path = await sendPath();
    let times = 0;
    path.fault = (request) =>
      request.kind === 'mutate' && !request.validateOnly && times++ === 0 ? saying(429) : undefined;
    expect(await path.change()).toEqual(['applied']);
    expect(now(path, 1)).toEqual(cutOf(path, 1));
  });

  it('never overwrites an amount that somebody set while it waited', async () => {
    const path = await sendPath();
    path.fault = ({ kind, validateOnly }) => {
      if (kind !== 'mutate' || validateOnly) return undefined;
      path.sandbox.setBudget(EUR, path.budgets[0]?.budgetId ?? '', micros(77_000_000n));
      return { ...saying(429), headers: { 'retry-after': '30' } };
    };
    expect(await path.change()).toEqual(['superseded']);
    expect(now(path, 1)).toEqual([77_000_000n]);
    expect(path.sends()).toHaveLength(1);
    expect(path.rows('SELECT found_micros FROM foreign_change')).toEqual([{ found_micros: 77_000_000n }]);
  });
});

describe('a foreign change', () => {
  it('supersedes the intent and is recorded, and nothing is sent', async () => {
    const path = await sendPath();
    const intents = await path.plan(2);
    path.sandbox.setBudget(EUR, path.budgets[0]?.budgetId ?? '', micros(77_000_000n));
    expect((await path.apply(intents)).map(({ state }) => state)).toEqual(['superseded', 'applied']);
    expect(now(path, 2)).toEqual([77_000_000n, cutOf(path, 2)[1]]);
    expect(path.rows('SELECT expected_micros, found_micros, intent_id FROM foreign_change')).toEqual([
      { expected_micros: path.budgets[0]?.amount, found_micros: 77_000_000n, intent_id: intents[0]?.id },
    ]);
  });

  it('is noticed before sending if made during a repeated validation', async () => {
    const path = await sendPath();
    const intents = await path.plan();
    let times = 0;
    path.fault = (request) => {
      if (request.kind !== 'mutate' || times++ > 1) return undefined;
      path.sandbox.setBudget(EUR, path.budgets[0]?.budgetId ?? '', micros(77_000_000n));
      return { kind: 'status', status: 503 };
    };
    expect((await path.apply(intents)).map(({ state }) => state)).toEqual(['superseded']);
    expect([path.sends(), now(path, 1)]).toEqual([[], [77_000_000n]]);
  });

  it('that removed the budget ends the intent before any request', async () => {
    const path = await sendPath();
    const intents = await path.plan();
    path.sandbox.removeBudget(EUR, path.budgets[0]?.budgetId ?? '');
    expect(await path.apply(intents)).toMatchObject([
      { state: 'superseded', outcome: expect.stringContaining('the budget was removed') },
    ]);
    expect((await path.intents())[0]?.code).toBe('BUDGET_REMOVED');
  });
});

describe('while budgets are frozen', () => {
  const freeze = (path: SendPath) => writeFileSync(join(path.folder, 'FREEZE'), 'budget review\n');

  it.each(
    sample<[string, string, number]>([
      ['from the start', 'plan:after-commit', 0],
      ['after the validation', 'validated:after-commit', 1],
      ['after `sending` was committed', 'sending:after-commit', 1],
    ]),
  )('nothing is sent and the intents expire: %s', async (_, when, validations) => {
    const path = await sendPath();
    path.passes = (point) => {
      if (point === when) freeze(path);
    };
    expect(await path.change(3)).toEqual(['expired', 'expired', 'expired']);
    expect((await path.intents()).map(({ state, code, outcome }) => [state, code, outcome])).toEqual(
      Array(3).fill(['expired', 'FROZEN', 'Budget changes are frozen by the file FREEZE: budget review.']),
    );
    expect(path.sends()).toEqual([]);
    expect(path.sandbox.requests.filter(({ kind }) => kind === 'mutate')).toHaveLength(validations);
    expect(now(path, 3)).toEqual(old(path, 3));
  });

  it('no second attempt is sent, and the refused change stays in doubt', async () => {
    const path = await sendPath();
    path.fault = (request) => {
      if (request.kind !== 'mutate' || request.validateOnly) return undefined;
      freeze(path);
      return saying(429);
    };
    expect(await path.change()).toEqual(['unknown']);
    expect([path.sends().length, now(path, 1)]).toEqual([1, old(path, 1)]);
  });

  it('unsent batches expire', async () => {
    const path = await sendPath();
    path.operationsMax = 1;
    let sent = 0;
    path.passes = (point) => {
      if (point === 'answer:after-commit' && ++sent === 2) freeze(path);
    };
    expect(await path.change(3)).toEqual(['applied', 'applied', 'expired']);
  });
});

describe('the record', () => {
  it('shows for each step what was read, sent and answered', async () => {
    const path = await sendPath();
    await path.change();
    expect(events(path)).toEqual(['planned', 'validated', 'sending', 'applied']);
    const details = path
      .rows('SELECT detail FROM budget_event ORDER BY id')
      .map(({ detail }) => JSON.parse(`${detail}`));
    const amount = path.budgets[0]?.amount.toString();
    expect(details[1]).toMatchObject({
      read: { source: 'read', amount_micros: amount },
      sent: { validate_only: true },
    });
    expect(details[2]).toMatchObject({ read: { source: 'read', amount_micros: amount }, sent: { operations: 1 } });
    expect(details[3]).toMatchObject({ answer: { request_id: 'sandbox-3', names_the_budget: true } });
  });

  it('shows the answer of a failure', async () => {
    const path = await sendPath();
    path.fault = onChange(saying(400));
    await path.change();
    const [{ detail } = { detail: '' }] = path.rows("SELECT detail FROM budget_event WHERE kind = 'rejected'");
    expect(JSON.parse(`${detail}`)).toMatchObject({ answer: { http_status: 400 }, state_before: 'sending' });
  });
});

describe('a success without a budget name', () => {
  it('is applied if the budget shows the amount', async () => {
    const path = await sendPath();
    path.fault = onChange({ kind: 'replace', body: '{}' });
    expect(await path.change(2)).toEqual(['applied', 'applied']);
  });

  it('is in doubt if the budget shows another amount', async () => {
    const path = await sendPath();
    path.fault = onChange({ kind: 'status', status: 200, body: '{}' });
    expect(await path.change()).toEqual(['unknown']);
    expect((await path.intents())[0]?.outcome).toMatch(/without naming a budget, and the budget shows \d+\.00 EUR/);
  });

  it.each(sample([400, 403, 503]))(
    'is in doubt, never rejected, if the budgets become unreadable: %s',
    async (status) => {
      const path = await sendPath();
      let sent = false;
      path.fault = (request) => {
        if (onChange({ kind: 'html' })(request)) {
          sent = true;
          return { kind: 'replace', body: '' };
        }
        return sent ? onReading({ kind: 'status', status })(request) : undefined;
      };
      expect(await path.change()).toEqual(['unknown']);
    },
  );
});
