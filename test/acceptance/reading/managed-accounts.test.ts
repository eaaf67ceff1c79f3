import { describe, expect, it } from 'vitest';
import { MANAGER, SUB_MANAGER } from '../../../src/sandbox/ads/account-tree.ts';
import type { Fault } from '../../../src/sandbox/fault-modes.ts';
import { endState } from '../../../src/views/report/decision-words.ts';
import { renderReportJson } from '../../../src/views/report/render-json.ts';
import { renderReportText } from '../../../src/views/report/render-text.ts';
import { TRIM_QUERIES, TRIM_RULES } from '../../support/trim-rule.ts';
import { APPLY, createWorld, type World } from '../../support/world.ts';

/** Asks for the budgets of an account in dollars. */
const ALSO_USD = {
  'usd.yaml': TRIM_RULES['trim.yaml'].replace('EUR', 'USD').replace('clicks >= 30', 'clicks >= 3000000'),
};

const managed = () => createWorld({ config: APPLY, manager: true, queries: TRIM_QUERIES, rules: TRIM_RULES });

describe('accounts below managers', () => {
  it('B10: are read and changed like direct accounts; each request names the manager above', async () => {
    const plain = await createWorld({ config: APPLY, queries: TRIM_QUERIES, rules: TRIM_RULES });
    const direct = await plain.report();
    const world = await managed();
    const result = await world.report();
    expect(result.failures).toEqual([]);
    expect(result.totals).toEqual(direct.totals);
    expect(result.decisions).toEqual(direct.decisions);
    const named = world.sandbox.requests.filter(({ customerId }) => customerId !== undefined && customerId !== MANAGER);
    expect(named.length).toBeGreaterThan(4);
    expect(new Set(named.map(({ headers }) => headers['login-customer-id']))).toEqual(new Set([MANAGER]));
    expect(named.map(({ query }) => query).filter((query) => query?.endsWith('FROM customer'))).toEqual([]);
  });

  it('are named in text and JSON, without a failure, if they are not in use', async () => {
    const world = await managed();
    const result = await world.report();
    expect(result.run.exitCode).toBe(0);
    expect(result.accounts).toHaveLength(6);
    const text = renderReportText(result, { width: 120, bold: (words) => words });
    expect(text).toContain('Accounts left out');
    expect(text).toContain('1 account, SUSPENDED: Bergfreund Outlet (5520917364)');
    expect(text).toContain('1 account, CANCELED: Alpenkontor Testkonto (5520917388)');
    const json = JSON.parse(renderReportJson(result));
    expect(json.accounts.filter((account: { left_out: unknown }) => account.left_out !== null)).toHaveLength(2);
    const rows = world.rows('state', "SELECT status FROM account WHERE status <> 'ENABLED' ORDER BY status");
    expect(rows).toEqual([{ status: 'CANCELED' }, { status: 'SUSPENDED' }]);
  });

  it('cost operations that the report and the record count, including failed ones', async () => {
    const world = await managed();
    const counted = () => world.sandbox.requests.filter(({ customerId }) => customerId !== undefined).length;
    world.fault = ({ query }) => (query?.includes('keyword_view') ? { kind: 'status', status: 403 } : undefined);
    const failed = await world.report();
    expect(failed.run.operations).toBe(counted());
    expect(world.rows('state', 'SELECT operations FROM run')).toEqual([{ operations: counted() }]);
    expect(JSON.parse(renderReportJson(failed)).run.operations).toBe(counted());
    expect(renderReportText(failed, { width: 120, bold: (words) => words })).toContain(
      `Used ${counted()} operations of the advertising interface's daily quota.`,
    );
  });
});

describe('accounts below an excluded manager', () => {
  const refusal = (status: number, word: string): Fault => ({
    kind: 'status',
    status,
    body: JSON.stringify({ error: { code: status, message: 'No.', status: word } }),
  });
  /** The account whose budgets the rules change stands below both managers of these settings. */
  const NAMED = { ADS_LOGIN_CUSTOMER_ID: MANAGER, ADS_CUSTOMER_IDS: '4081725530' };
  const excluding = (excluded: string, env: Readonly<Record<string, string>> = {}) =>
    createWorld({
      config: APPLY,
      manager: true,
      queries: TRIM_QUERIES,
      rules: TRIM_RULES,
      env: { ADS_EXCLUDE_CUSTOMER_IDS: excluded, ...env },
    });
  const touched = ({ sandbox }: World) =>
    new Set(sandbox.requests.flatMap(({ path, customerId }) => (path.includes(':mutate') ? [customerId] : [])));

  it('are left alone, while the others are changed', async () => {
    const world = await excluding(SUB_MANAGER);
    expect((await world.report()).failures).toEqual([]);
    expect(touched(world)).toEqual(new Set(['4081725530']));
  });

  it('are left alone even if the settings name one of them', async () => {
    const world = await excluding(MANAGER, NAMED);
    const { failures, accounts } = await world.report();
    expect(touched(world)).toEqual(new Set());
    expect(accounts).toEqual([]);
    expect(failures).toEqual([]);
  });

  it.each([
    ['is unavailable', refusal(503, 'UNAVAILABLE')],
    ['is refused, because the login has lost access', refusal(403, 'PERMISSION_DENIED')],
    ['is not found although other trees are', refusal(404, 'NOT_FOUND')],
  ])(
    'are left alone while the tree of the manager %s: nothing is read or changed, and the report says why',
    async (_, fault) => {
      const world = await excluding(MANAGER, NAMED);
      world.fault = ({ customerId }) => (customerId === MANAGER ? fault : undefined);
      const { failures, accounts, run } = await world.report();
      expect(touched(world)).toEqual(new Set());
      expect(accounts).toEqual([]);
      expect(run.exitCode).toBe(1);
      expect(failures).toHaveLength(1);
      expect(failures[0]).toContain(`The accounts below the excluded account ${MANAGER} are unknown`);
      expect(failures[0]).toContain('changes no budget');
    },
  );
});

describe('an identifier beyond int64', () => {
  const TOO_LARGE = '99999999999999999999';
  const OTHER = '6193047821';
  const campaign = (id: string, budget: string, more: object = {}) =>
    JSON.stringify([
      { results: [{ campaign: { id, campaignBudget: budget }, campaignBudget: { amountMicros: '5000000', ...more } }] },
    ]);
  const budgetOf = (budget: string) => `customers/${OTHER}/campaignBudgets/${budget}`;

  it.each([
    ['id of a campaign', campaign('9999999999999999999', budgetOf('1'))],
    ['id of a budget', campaign('1', '', { id: '9999999999999999999' })],
    ['in the resource name of a budget', campaign('1', budgetOf('9999999999999999999'))],
    ['in a longer resource name of a budget', campaign('1', budgetOf(TOO_LARGE))],
  ])('fails only its own account: %s', async (_, body) => {
    const world = await createWorld({ config: APPLY, queries: TRIM_QUERIES, rules: { ...TRIM_RULES, ...ALSO_USD } });
    world.fault = ({ query, customerId }) =>
      customerId === OTHER && query?.endsWith(' FROM campaign') ? { kind: 'replace', body } : undefined;
    const { failures, decisions, run } = await world.report();
    expect(failures).toEqual([
      expect.stringMatching(`^Account ${OTHER}: its budgets could not be read, so no rule was`),
    ]);
    expect(failures[0]).toContain('within int64');
    expect(decisions.map((one) => [one.customerId, endState(one)])).toEqual([['4081725530', 'applied']]);
    expect(run.exitCode).toBe(1);
  });

  it.each([
    ['in the list of accounts', 'resourceNames'],
    ['in the tree of a manager', 'customerClient'],
  ])('is named and skipped, while the other accounts are processed: %s', async (_, where) => {
    const inTree = where === 'customerClient';
    const world = await createWorld({ config: APPLY, manager: inTree, queries: TRIM_QUERIES, rules: TRIM_RULES });
    const clients = [
      { id: MANAGER, level: '0', manager: true },
      { id: '4081725530', level: '1', currencyCode: 'EUR', timeZone: 'Europe/Berlin', status: 'ENABLED' },
      { id: TOO_LARGE, level: '1' },
    ];
    const bodies: Readonly<Record<string, string>> = {
      resourceNames: JSON.stringify({ resourceNames: [`customers/${TOO_LARGE}`, 'customers/4081725530'] }),
      customerClient: JSON.stringify([{ results: clients.map((customerClient) => ({ customerClient })) }]),
    };
    world.fault = ({ path, query, customerId }) =>
      (inTree ? customerId === MANAGER && query?.includes('FROM customer_client') : path.includes(':listAccessible'))
        ? { kind: 'replace', body: bodies[where] ?? '' }
        : undefined;
    const { failures, decisions } = await world.report();
    expect(failures).toEqual([
      `Account ${TOO_LARGE}: the account was left out, because its number does not fit into 64 bits.`,
    ]);
    expect(decisions.map((one) => [one.customerId, endState(one)])).toEqual([['4081725530', 'applied']]);
  });
});
