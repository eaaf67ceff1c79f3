import { describe, expect, it } from 'vitest';
import { accountOutcomes } from '../../src/engine/recorded-run.ts';
import { APPLY, createWorld } from '../support/world.ts';
import { account, slice } from '../views/report/results.ts';

const DAYS = ['2026-11-01', '2026-11-07'] as const;

describe('the outcome of an account in a run', () => {
  it.each([
    ['read, if all of its slices were read', [{}, {}], 'read', undefined],
    ['failed, if one of them failed', [{}, { failure: 'broken off' }, { left: 'quota' }], 'failed', 'broken off'],
    ['not reached, if one was left', [{}, { left: 'quota' }], 'not_reached', 'quota'],
    ['read, if the service does not have a resource', [{ notOffered: 'no' }], 'read', undefined],
  ] as const)('is %s', (_sentence, facts, state, reason) => {
    const slices = facts.map((fact) => slice(1, ...DAYS, fact));
    expect(accountOutcomes([account(1)], slices)).toEqual([{ customerId: account(1).customerId, state, reason }]);
  });

  it('is not reached, if nothing was to be read', () => {
    const reason = 'this run had nothing to read for it';
    const about = { customerId: account(1).customerId, state: 'not_reached', code: 'nothing_to_read', reason };
    expect(accountOutcomes([account(1)], [])).toEqual([about]);
  });

  it('is stopped, if it was left or failed because the run was asked to stop', () => {
    const failed = { ...account(1), failure: 'given up', failedByStop: true };
    const left = [slice(2, ...DAYS, { left: 'asked to stop', leftByStop: true })];
    expect(accountOutcomes([failed, account(2)], left).map(({ state }) => state)).toEqual(['stopped', 'stopped']);
  });

  it('is the service’s status if it is not in use; its own failure precedes those of its slices', () => {
    const unused = { ...account(1), leftOut: 'SUSPENDED' };
    const failing = { ...account(2), failure: 'refused' };
    expect(accountOutcomes([unused, failing], []).map(({ state, reason }) => [state, reason])).toEqual([
      ['left_out', 'SUSPENDED'],
      ['failed', 'refused'],
    ]);
  });

  it('is in the run’s record for each account', async () => {
    const queries = { 'budgets.sql': 'SELECT campaign_budget.id, campaign_budget.amount_micros FROM campaign_budget' };
    const world = await createWorld({ config: APPLY, queries, rules: {} });
    world.fault = ({ customerId, query }) =>
      customerId === '6193047821' && query?.includes('campaign_budget.amount')
        ? { kind: 'status', status: 403 }
        : undefined;
    await world.report();
    const rows = world.rows(
      'warehouse',
      'SELECT customer_id, state, reason IS NULL AS fine FROM run_account ORDER BY 1',
    );
    expect(rows).toEqual([
      { customer_id: 4081725530, state: 'read', fine: 1 },
      { customer_id: 6193047821, state: 'failed', fine: 0 },
      { customer_id: 7350926148, state: 'read', fine: 1 },
      { customer_id: 9264813507, state: 'read', fine: 1 },
    ]);
  });
});
