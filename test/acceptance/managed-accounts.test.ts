import { describe, expect, it } from 'vitest';
import { renderReportJson } from '../../src/report/render-json.ts';
import { renderReportText } from '../../src/report/render-text.ts';
import { MANAGER } from '../../src/sandbox/account-tree.ts';
import { TRIM_QUERIES, TRIM_RULES } from '../support/trim-rule.ts';
import { APPLY, createWorld } from '../support/world.ts';

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
