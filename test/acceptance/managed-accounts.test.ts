import { describe, expect, it } from 'vitest';
import { renderReportJson } from '../../src/report/render-json.ts';
import { renderReportText } from '../../src/report/render-text.ts';
import { MANAGER, SUB_MANAGER } from '../../src/sandbox/account-tree.ts';
import type { Fault } from '../../src/sandbox/faults.ts';
import { TRIM_QUERIES, TRIM_RULES } from '../support/trim-rule.ts';
import { APPLY, createWorld, type World } from '../support/world.ts';

const managed = () => createWorld({ config: APPLY, manager: true, queries: TRIM_QUERIES, rules: TRIM_RULES });

describe('accounts below managers', () => {
  it('B10: are read and changed as if they were reached directly, each request with the manager above it', async () => {
    const plain = await createWorld({ config: APPLY, queries: TRIM_QUERIES, rules: TRIM_RULES });
    const [direct, world] = [await plain.report(), await managed()];
    const result = await world.report();
    expect(result.failures).toEqual([]);
    expect(result.totals).toEqual(direct.totals);
    expect(result.decisions).toEqual(direct.decisions);
    const named = world.sandbox.requests.filter(({ customerId }) => customerId !== undefined && customerId !== MANAGER);
    expect(named.length).toBeGreaterThan(4);
    expect(new Set(named.map(({ headers }) => headers['login-customer-id']))).toEqual(new Set([MANAGER]));
    expect(named.map(({ query }) => query).filter((query) => query?.endsWith('FROM customer'))).toEqual([]);
  });

  it('that are not in use are named in text and JSON, and fail nothing', async () => {
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

  it('cost operations that are counted, failed ones too, in the report and on record', async () => {
    const world = await managed();
    const counted = () => world.sandbox.requests.filter(({ customerId }) => customerId !== undefined).length;
    world.fault = ({ query }) => (query?.includes('keyword_view') ? { kind: 'status', status: 403 } : undefined);
    const failed = await world.report();
    expect(failed.run.operations).toBe(counted());
    expect(world.rows('state', 'SELECT operations FROM run')).toEqual([{ operations: counted() }]);
    expect(JSON.parse(renderReportJson(failed)).run.operations).toBe(counted());
    expect(renderReportText(failed, { width: 120, bold: (words) => words })).toContain(
      `${counted()} operations of the advertising interface's daily quota used.\nDone`,
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
      ...{ config: APPLY, manager: true, queries: TRIM_QUERIES, rules: TRIM_RULES },
      env: { ADS_EXCLUDE_CUSTOMER_IDS: excluded, ...env },
    });
  const touched = ({ sandbox }: World) =>
    new Set(sandbox.requests.flatMap(({ path, customerId }) => (path.includes(':mutate') ? [customerId] : [])));

  it('are left alone, and the others are changed', async () => {
    const world = await excluding(SUB_MANAGER);
    expect((await world.report()).failures).toEqual([]);
    expect(touched(world)).toEqual(new Set(['4081725530']));
  });

  it('are left alone when the settings name one of them', async () => {
    const world = await excluding(MANAGER, NAMED);
    const { failures, accounts } = await world.report();
    expect(touched(world)).toEqual(new Set());
    expect(accounts).toEqual([]);
    expect(failures).toEqual([]);
  });

  it.each([
    ['is away', refusal(503, 'UNAVAILABLE')],
    ['is refused, because the login has lost it', refusal(403, 'PERMISSION_DENIED')],
    ['is not offered although other trees are', refusal(404, 'NOT_FOUND')],
  ])('are left alone while its tree %s: nothing is read or changed, and the report says why', async (_, fault) => {
    const world = await excluding(MANAGER, NAMED);
    world.fault = ({ customerId }) => (customerId === MANAGER ? fault : undefined);
    const { failures, accounts, run } = await world.report();
    expect(touched(world)).toEqual(new Set());
    expect(accounts).toEqual([]);
    expect(run.exitCode).toBe(1);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toContain(`What stands below the excluded account ${MANAGER} is not known`);
    expect(failures[0]).toContain('no budget is changed');
  });
});
