import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { micros } from '../../src/domain/micros.ts';
import { applyIntents } from '../../src/engine/budgets/carry-out.ts';
import type { Fault } from '../../src/sandbox/fault-modes.ts';
import { EUR } from '../sandbox/sandbox-client.ts';
import { CUSTOMER, CUT, onChange, type SendPath, saying, sendPath } from './send-path.ts';

const old = (path: SendPath, count: number) => path.budgets.slice(0, count).map(({ amount }) => amount);
const cutOf = (path: SendPath, count: number) => old(path, count).map((amount) => amount - CUT);
const now = (path: SendPath, count: number) => path.amounts().slice(0, count);
const alerts = (path: SendPath) => path.rows('SELECT text FROM alert ORDER BY id').map(({ text }) => text as string);

describe('a change with a lost answer', () => {
  it.each<[string, Fault, boolean]>([
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
  ])('is in doubt, reported once and sent once: %s', async (_, fault, made) => {
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

describe('a change on its way', () => {
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

describe('while budgets are frozen', () => {
  const freeze = (path: SendPath) => writeFileSync(join(path.folder, 'FREEZE'), 'budget review\n');

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

it('after a stop, unsent batches wait for the next run', async () => {
  const path = await sendPath();
  const stop = new AbortController();
  path.passes = (point) => {
    if (point === 'answer:after-commit') stop.abort();
  };
  const deps = { ...path.deps, operationsMax: 1, stop: stop.signal };
  const ends = await applyIntents(deps, CUSTOMER, await path.plan(2), path.today);
  expect([...ends.values()].map(({ state }) => state)).toEqual(['applied', 'planned']);
  expect((await path.settle()).map(({ state }) => state)).toEqual(['expired']);
});
