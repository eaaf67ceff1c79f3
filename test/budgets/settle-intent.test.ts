import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/sandbox/faults.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../support/trim-rule.ts';
import { APPLY, createWorld, type World } from '../support/world.ts';

const EUR = TRIMMED.customerId;
const BUDGET = TRIMMED.budgetId;
const TARGET = 51_000_000n;

const freshWorld = (config = APPLY) => createWorld({ config, queries: TRIM_QUERIES, rules: TRIM_RULES });
const amount = (world: World) => world.sandbox.budgetAmount(EUR, BUDGET);
const intents = (world: World) => world.rows('state', 'SELECT state, from_micros, to_micros FROM budget_intent');
const sends = (world: World) =>
  world.sandbox.requests.filter(({ kind, validateOnly }) => kind === 'mutate' && validateOnly === false).length;

/** The fault on real changes, not on their validation. */
function onChange(world: World, fault: Fault): void {
  world.fault = ({ kind, validateOnly }) => (kind === 'mutate' && validateOnly === false ? fault : undefined);
}

/** Someone else sets the budget. */
async function setByHand(world: World, micros: string): Promise<void> {
  const { url, credentials } = world.sandbox;
  const resourceName = `customers/${EUR}/campaignBudgets/${BUDGET}`;
  const operations = [{ updateMask: 'amount_micros', update: { resourceName, amountMicros: micros } }];
  const answer = await fetch(`${url}/v25/customers/${EUR}/campaignBudgets:mutate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentials.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ operations }),
  });
  expect(answer.status).toBe(200);
}

describe('a change whose answer is lost', () => {
  it.each<[sentence: string, fault: Fault]>([
    ['the connection is reset after the change was made', { kind: 'reset_after' }],
    ['the answer is HTML with status 200', { kind: 'replace', body: '<html>ok</html>' }],
    [
      'the answer names another budget',
      { kind: 'replace', body: '{"results":[{"resourceName":"customers/1/campaignBudgets/2"}]}' },
    ],
    ['the answer has fewer results than operations', { kind: 'replace', body: '{"results":[]}' }],
    ['the answer has more results than operations', { kind: 'replace', body: '{"results":[{},{}]}' }],
  ])(
    'is unknown when %s; the next run reads the budget back and confirms it without a second send',
    async (_sentence, fault) => {
      const world = await freshWorld();
      onChange(world, fault);
      const lost = await world.report();
      expect(lost.run.exitCode).toBe(1);
      expect(lost.decisions.map(({ state }) => state)).toEqual(['unknown']);
      expect(intents(world)).toEqual([{ state: 'unknown', from_micros: 60_000_000, to_micros: 51_000_000 }]);
      expect(world.rows('warehouse', 'SELECT * FROM budget_change')).toEqual([]);

      world.fault = undefined;
      const next = await world.report();
      expect(next.settled.map(({ state }) => state)).toEqual(['confirmed']);
      expect(next.run.exitCode).toBe(0);
      expect(intents(world)).toEqual([{ state: 'confirmed', from_micros: 60_000_000, to_micros: 51_000_000 }]);
      expect(sends(world)).toBe(1);
      expect(amount(world)).toBe(TARGET);
      expect(world.rows('warehouse', 'SELECT to_micros FROM budget_change')).toEqual([{ to_micros: 51_000_000 }]);
    },
  );

  it.each<[sentence: string, fault: Fault]>([
    ['the connection was reset before anything was done', { kind: 'reset_before' }],
    ['a gateway answered 503', { kind: 'status', status: 503 }],
    ['a gateway answered 500', { kind: 'status', status: 500 }],
  ])('is sent again with the same amount when %s and the old amount is still there', async (_sentence, fault) => {
    const world = await freshWorld();
    onChange(world, fault);
    expect((await world.report()).run.exitCode).toBe(1);
    expect(amount(world)).toBe(60_000_000n);

    world.fault = undefined;
    const next = await world.report();
    expect(next.settled.map(({ state, to }) => [state, to])).toEqual([['applied', TARGET]]);
    expect(amount(world)).toBe(TARGET);
    expect(intents(world)).toEqual([{ state: 'applied', from_micros: 60_000_000, to_micros: 51_000_000 }]);
  });

  it('is given up when someone else has changed the budget meanwhile', async () => {
    const world = await freshWorld();
    onChange(world, { kind: 'reset_before' });
    await world.report();
    world.fault = undefined;
    await setByHand(world, '70000000');
    const next = await world.report();
    expect(next.settled).toEqual([
      expect.objectContaining({ state: 'superseded', detail: 'Expected 60.00 EUR, but the budget is now 70.00 EUR.' }),
    ]);
    expect(next.run.exitCode).toBe(0);
    expect(amount(world)).toBe(70_000_000n);
  });

  it('blocks its budget, and fails every run, until it can be read back', async () => {
    const world = await freshWorld();
    onChange(world, { kind: 'reset_after' });
    await world.report();
    // The next account day: a new change would be due.
    world.clock.set('2026-11-21T12:00:00Z');
    world.fault = ({ kind, query }) =>
      kind === 'stream' && query?.includes('FROM campaign') ? { kind: 'status', status: 503 } : undefined;
    const blind = await world.report();
    expect(blind.run.exitCode).toBe(1);
    expect(blind.settled.map(({ state }) => state)).toEqual(['unknown']);
    expect(sends(world)).toBe(1);
    expect(intents(world).map(({ state }) => state)).toEqual(['unknown']);
  });

  it('stays as it is in a dry run, which shows that the budget is blocked', async () => {
    const world = await freshWorld();
    onChange(world, { kind: 'reset_after' });
    await world.report();
    world.fault = undefined;
    const dry = await world.report({ dryRun: true });
    expect(dry.decisions.map(({ state, detail }) => [state, detail])).toEqual([
      ['refused', `The outcome of an earlier change of budget ${BUDGET} is not known yet.`],
    ]);
    expect(intents(world).map(({ state }) => state)).toEqual(['unknown']);
  });

  it('is not sent again once automation may only propose', async () => {
    const world = await freshWorld();
    onChange(world, { kind: 'reset_before' });
    await world.report();
    world.fault = undefined;
    await world.reconfigure('automation: { mode: propose }');
    const next = await world.report();
    expect(next.settled.map(({ state }) => state)).toEqual(['expired']);
    expect(sends(world)).toBe(1);
    expect(amount(world)).toBe(60_000_000n);
  });
});

describe('a change without an answer whose budget cannot be read any more', () => {
  it.each<[sentence: string, fault: Fault]>([
    ['the list of campaigns comes back empty', { kind: 'replace', body: '[]' }],
    ['the query is refused', { kind: 'status', status: 400 }],
  ])('is not sent again on the strength of nothing: %s', async (_sentence, fault) => {
    const world = await freshWorld();
    onChange(world, { kind: 'reset_before' });
    await world.report();
    world.fault = ({ kind, query }) => (kind === 'stream' && query?.includes('FROM campaign') ? fault : undefined);
    await world.report();
    expect(sends(world)).toBe(1);
    expect(amount(world)).toBe(60_000_000n);
  });
});

describe('a change without an answer whose second sending fails too', () => {
  const lost = async () => {
    const world = await freshWorld();
    onChange(world, { kind: 'reset_before' });
    await world.report();
    return world;
  };

  it('stays unknown when the validation cannot be reached', async () => {
    const world = await lost();
    world.fault = ({ kind }) => (kind === 'mutate' ? { kind: 'status', status: 503 } : undefined);
    const next = await world.report();
    expect(next.settled.map(({ state }) => state)).toEqual(['unknown']);
    expect(next.run.exitCode).toBe(1);
    expect(intents(world).map(({ state }) => state)).toEqual(['unknown']);
  });

  it('is rejected when the budget has its old amount and the service refuses the change', async () => {
    const world = await lost();
    world.fault = ({ kind }) => (kind === 'mutate' ? { kind: 'status', status: 400 } : undefined);
    const next = await world.report();
    expect(next.settled.map(({ state }) => state)).toEqual(['rejected']);
    expect(amount(world)).toBe(60_000_000n);
  });
});

describe('a change that surely was not made', () => {
  it('is rejected for good when the service refuses it, with the service’s own code', async () => {
    const world = await freshWorld();
    const failure = {
      code: 3,
      message: 'Too low.',
      details: [
        { errors: [{ errorCode: { campaignBudgetError: 'BUDGET_BELOW_PER_DAY_MINIMUM' }, message: 'Too low.' }] },
      ],
    };
    onChange(world, {
      kind: 'status',
      status: 200,
      contentType: 'application/json',
      body: JSON.stringify({ partialFailureError: failure, results: [{}] }),
    });
    const result = await world.report();
    expect(result.run.exitCode).toBe(1);
    expect(world.rows('state', 'SELECT state, code FROM budget_intent')).toEqual([
      { state: 'rejected', code: 'campaignBudgetError.BUDGET_BELOW_PER_DAY_MINIMUM' },
    ]);
    const again = await world.report();
    expect(again.decisions.map(({ state }) => state)).toEqual(['refused']);
    expect(sends(world)).toBe(1);
  });

  it('is rejected by the validation before anything real is sent', async () => {
    const world = await freshWorld();
    world.fault = ({ kind, validateOnly }) =>
      kind === 'mutate' && validateOnly ? { kind: 'status', status: 400 } : undefined;
    const result = await world.report();
    expect(result.decisions.map(({ state }) => state)).toEqual(['rejected']);
    expect(sends(world)).toBe(0);
  });

  it('waits when the validation cannot be reached, and is made by the next run of the same day', async () => {
    const world = await freshWorld();
    world.fault = ({ kind }) => (kind === 'mutate' ? { kind: 'status', status: 503 } : undefined);
    const first = await world.report();
    expect(first.decisions.map(({ state }) => state)).toEqual(['postponed']);
    expect(first.run.exitCode).toBe(1);
    expect(sends(world)).toBe(0);
    world.fault = undefined;
    const next = await world.report();
    expect(next.settled.map(({ state }) => state)).toEqual(['expired']);
    expect(next.decisions.map(({ state }) => state)).toEqual(['applied']);
    expect(amount(world)).toBe(TARGET);
    expect(sends(world)).toBe(1);
    expect(intents(world)).toEqual([{ state: 'applied', from_micros: 60_000_000, to_micros: 51_000_000 }]);
  });

  it('is not made by the next run when no rule wants it any more', async () => {
    const world = await freshWorld();
    world.fault = ({ kind }) => (kind === 'mutate' ? { kind: 'status', status: 503 } : undefined);
    await world.report();
    world.fault = undefined;
    rmSync(join(world.folder, 'rules', 'trim.yaml'));
    const next = await world.report();
    expect(next.settled.map(({ state }) => state)).toEqual(['expired']);
    expect(sends(world)).toBe(0);
    expect(amount(world)).toBe(60_000_000n);
  });

  it('expires when its day is over', async () => {
    const world = await freshWorld();
    world.fault = ({ kind }) => (kind === 'mutate' ? { kind: 'status', status: 503 } : undefined);
    await world.report();
    world.fault = undefined;
    world.clock.set('2026-11-21T12:00:00Z');
    const next = await world.report();
    expect(next.settled.map(({ state }) => state)).toEqual(['expired']);
    expect(next.decisions.map(({ state }) => state)).toEqual(['applied']);
    expect(sends(world)).toBe(1);
  });

  it('is repeated within the limits when the service said 429, and made once', async () => {
    const world = await freshWorld();
    let refused = 0;
    world.fault = ({ kind, validateOnly }) =>
      kind === 'mutate' && !validateOnly && refused++ === 0 ? { kind: 'status', status: 429 } : undefined;
    const result = await world.report();
    expect(result.decisions.map(({ state }) => state)).toEqual(['applied']);
    expect(amount(world)).toBe(TARGET);
    expect(world.pauses.taken).toEqual([1000]);
  });

  it('is given up when the budget was changed between the decision and the sending', async () => {
    const world = await freshWorld();
    let readings = 0;
    const changed = [
      {
        campaign: { id: TRIMMED.campaignId, campaignBudget: `customers/${EUR}/campaignBudgets/${BUDGET}` },
        campaignBudget: { amountMicros: '65000000' },
      },
    ];
    world.fault = ({ kind, query, customerId }) =>
      kind === 'stream' && customerId === EUR && query?.includes('FROM campaign') && ++readings === 2
        ? { kind: 'replace', body: JSON.stringify([{ results: changed }]) }
        : undefined;
    const result = await world.report();
    expect(result.decisions.map(({ state }) => state)).toEqual(['superseded']);
    expect(sends(world)).toBe(0);
  });
});
