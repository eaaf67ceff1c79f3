import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { detailWords, endState } from '../../src/views/report/decision-words.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../support/trim-rule.ts';
import { APPLY, createWorld, type World } from '../support/world.ts';

const { customerId: EUR, budgetId: BUDGET } = TRIMMED;
const USD = '6193047821';
const trimWorld = (config = APPLY, env: Readonly<Record<string, string>> = {}) =>
  createWorld({ config, queries: TRIM_QUERIES, rules: TRIM_RULES, env });
const changes = (world: World) =>
  world.sandbox.requests.filter(({ kind, validateOnly }) => kind === 'mutate' && validateOnly === false).length;
const campaigns = (amountMicros: string) =>
  JSON.stringify([
    {
      results: [
        {
          campaign: { id: TRIMMED.campaignId, campaignBudget: `customers/${EUR}/campaignBudgets/${BUDGET}` },
          campaignBudget: { amountMicros },
        },
      ],
    },
  ]);

describe('a rule', () => {
  it('does not treat a column that was never read as zero', async () => {
    const rule = TRIM_RULES['trim.yaml'].replace(/when: .*/, 'when: impressions < 5');
    const world = await createWorld({ config: APPLY, queries: TRIM_QUERIES, rules: {} });
    await world.report();
    const wider = TRIM_QUERIES['stats.sql'].replace('metrics.clicks', 'metrics.clicks, metrics.impressions');
    writeFileSync(join(world.folder, 'queries', 'stats.sql'), wider);
    writeFileSync(join(world.folder, 'rules', 'few.yaml'), rule);
    world.fault = ({ kind, query }) =>
      kind === 'stream' && query?.includes('keyword_view') ? { kind: 'status', status: 403 } : undefined;
    const result = await world.report();
    expect(result.rules.find(({ customerId }) => customerId === EUR)?.notEvaluated).toMatch(
      /^stats has no complete data for /,
    );
    expect(changes(world)).toBe(0);
  });

  it('with an amount but no currency is refused even if the account with the other currency fails', async () => {
    const rules = { 'trim.yaml': TRIM_RULES['trim.yaml'].replace('currency: EUR\n', '') };
    const world = await createWorld({ config: APPLY, queries: TRIM_QUERIES, rules: {} });
    await world.report();
    writeFileSync(join(world.folder, 'rules', 'trim.yaml'), rules['trim.yaml']);
    world.fault = ({ customerId }) => (customerId && customerId !== EUR ? { kind: 'status', status: 403 } : undefined);
    await expect(world.report()).rejects.toThrow(
      'trim: found an amount without a currency, expected a currency, because the accounts use several.',
    );
    expect(changes(world)).toBe(0);
  });

  it.each([
    ['0', `Budget ${BUDGET} shows 0.00 EUR, which is not a valid amount.`],
    ['-5000000', `Budget ${BUDGET} shows -5.00 EUR, which is not a valid amount.`],
  ])('leaves a budget of %s micros alone', async (amount, reason) => {
    const world = await trimWorld();
    world.fault = ({ kind, query, customerId }) =>
      kind === 'stream' && customerId === EUR && query?.includes('FROM campaign')
        ? { kind: 'replace', body: campaigns(amount) }
        : undefined;
    const result = await world.report();
    expect(result.decisions.map((one) => [endState(one), detailWords(one)])).toEqual([['refused', reason]]);
    expect(changes(world)).toBe(0);
  });

  it('skips rows of a campaign without a valid id, and continues with the rest', async () => {
    const world = await trimWorld();
    const row = (id: string) =>
      `{"campaign":{"id":"${id}","name":"x"},"metrics":{"clicks":"99","costMicros":"990000000"},"segments":{"date":"2026-11-19"}}`;
    world.fault = ({ kind, customerId, query }) =>
      kind === 'stream' && customerId === EUR && query?.includes('keyword_view')
        ? { kind: 'replace', body: `[{"results":[${row('0')},${row('-5')}]}]` }
        : undefined;
    const result = await world.report();
    expect(result.failures).toEqual([]);
    expect(result.decisions).toEqual([]);
  });
});

describe('accounts', () => {
  it('that refuse the credentials fail alone if another accepts them', async () => {
    const world = await trimWorld(APPLY, { ADS_CUSTOMER_IDS: `${EUR},${USD}` });
    world.fault = ({ customerId }) => (customerId === USD ? { kind: 'status', status: 401 } : undefined);
    const result = await world.report();
    expect(result.run.exitCode).toBe(1);
    expect(result.decisions.map(endState)).toEqual(['applied']);
  });

  it('that all refuse the credentials mean invalid settings', async () => {
    const world = await trimWorld(APPLY, { ADS_CUSTOMER_IDS: `${EUR},${USD},` });
    world.fault = ({ customerId }) => (customerId ? { kind: 'status', status: 401 } : undefined);
    await expect(world.report()).rejects.toMatchObject({ name: 'InputError' });
  });

  it('are explained if there are none', async () => {
    const world = await trimWorld();
    world.fault = ({ kind }) => (kind === 'list' ? { kind: 'replace', body: '{"resourceNames":[]}' } : undefined);
    const result = await world.report();
    expect(result.notes).toContain(
      'No account found. Managers and excluded accounts do not count. Check ADS_LOGIN_CUSTOMER_ID, or set ADS_CUSTOMER_IDS.',
    );
  });

  it('keep their open changes, without a failure, if they are not requested', async () => {
    const world = await trimWorld();
    world.fault = ({ kind, validateOnly }) =>
      kind === 'mutate' && validateOnly === false ? { kind: 'reset_after' } : undefined;
    await world.report();
    world.fault = undefined;
    const [usd] = world.sandbox.market.accounts.filter(({ customerId }) => customerId === USD);
    const result = await world.report({ customers: usd ? [usd.customerId] : [] });
    expect(result.run.exitCode).toBe(0);
    expect(result.settled).toEqual([]);
    expect(world.rows('state', 'SELECT state FROM budget_intent')).toEqual([{ state: 'unknown' }]);
  });
});

describe('the failure of a request', () => {
  it('B15: appears in the output and the run’s record, with the service’s reference and the next step', async () => {
    const world = await trimWorld();
    world.fault = ({ kind, customerId, query }) =>
      kind === 'stream' && customerId === USD && query?.includes('keyword_view')
        ? {
            kind: 'status',
            status: 403,
            contentType: 'application/json',
            headers: { 'request-id': 'RQ9' },
            body: '{"error":{"code":403,"status":"PERMISSION_DENIED","message":"No."}}',
          }
        : undefined;
    const result = await world.report();
    expect(result.failures).toEqual([
      expect.stringMatching(
        /PERMISSION_DENIED \(403\): No\. \(request RQ9\) Check that the credentials have access to this account/,
      ),
    ]);
    const [run] = world.rows('warehouse', 'SELECT error FROM run');
    expect(run?.error).toContain('RQ9');
  });
});

describe('a data folder', () => {
  it('is not bound to a URL that never answered', async () => {
    const world = await trimWorld();
    world.fault = ({ kind }) => (kind === 'list' ? { kind: 'status', status: 503 } : undefined);
    await world.report();
    expect(world.rows('state', 'SELECT * FROM target')).toEqual([]);
    world.fault = undefined;
    await world.report();
    expect(world.rows('state', 'SELECT identity FROM target')).toEqual([{ identity: `live (${world.sandbox.url})` }]);
  });
});
