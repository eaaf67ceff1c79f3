import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MANAGER } from '../../../src/sandbox/ads/account-tree.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { folderStore } from '../../support/folder-store.ts';
import { tempDir } from '../../support/temp-dir.ts';

const labelled = (label: string) =>
  `SELECT customer_client.id FROM customer_client WHERE customer_client.status = ENABLED AND customer_client.applied_labels CONTAINS ANY ('customers/${MANAGER}/labels/${label}')`;

async function folderWith(label: string, manager = true) {
  const folder = tempDir();
  for (const name of ['queries', 'rules']) mkdirSync(join(folder, name));
  const budgets = 'SELECT campaign.id, campaign_budget.amount_micros FROM campaign';
  writeFileSync(join(folder, 'queries', 'budgets.sql'), budgets);
  const write = (chosen: string) =>
    writeFileSync(
      join(folder, 'pacekeeper.yaml'),
      `ads:\n  accounts_query: >-\n    ${labelled(chosen)}\nsandbox: { manager: ${manager} }\n`,
    );
  write(label);
  const store = await folderStore(join(folder, 'data'));
  const env = { ...store.env, PACEKEEPER_NOW: '2026-11-20T12:00:00Z' };
  const accountsRead = () =>
    store
      .rows('SELECT DISTINCT customer_id FROM budgets ORDER BY 1', 'warehouse')
      .map((row) => String(row.customer_id));
  return { write, accountsRead, run: (...args: string[]) => runInProcess(args, { folder, env, width: 120 }) };
}

describe('accounts chosen by a label', () => {
  it('are read; an account that loses the label keeps its rows and is left out', async () => {
    const { write, accountsRead, run } = await folderWith('501');
    const first = await run('report', '--verbose');
    expect(first).toMatchObject({ code: 0 });
    expect(accountsRead()).toEqual(['4081725530', '6193047821']);
    expect(first.stdout).toMatch(/2 accounts, not chosen by ads\.accounts_query: /);
    write('502');
    const second = await run('report', '--format', 'json');
    expect(accountsRead()).toEqual(['4081725530', '6193047821', '7350926148']);
    const { accounts } = JSON.parse(second.stdout);
    expect(accounts.find((one: { customer_id: string }) => one.customer_id === '4081725530')).toMatchObject({
      left_out: 'not chosen by ads.accounts_query',
    });
    const named = await run('report', '--customer', '4081725530');
    expect(named.code).toBe(2);
    expect(named.stderr).toContain('These accounts are not chosen by ads.accounts_query: 4081725530.');
  });

  it('are shown by pacekeeper accounts, which says why the others are left out', async () => {
    const { code, stdout } = await (await folderWith('502')).run('accounts');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}4081725530 .*ENABLED, not chosen +7310264895$/m);
    expect(stdout).toContain('4 accounts not chosen by ads.accounts_query.');
    expect(stdout).toMatch(/^ {2}7350926148 .*ENABLED +7310264895$/m);
  });

  it('may be none, which fails the run with a sentence', async () => {
    const { code, stdout } = await (await folderWith('999')).run('report');
    expect(code).toBe(1);
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'ads.accounts_query chose no account, so none was read or changed. To see all, run pacekeeper accounts.',
    );
  });
});
