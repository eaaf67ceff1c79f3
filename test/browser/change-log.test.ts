import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { TRIM_QUERIES, TRIM_RULES } from '../support/trim-rule.ts';
import { writeFolder } from '../support/world.ts';
import { axeFindings, expectAccessible, logIn, looks, overflowOf, visit, withBrowser } from './browser.ts';
import { type Served, serveFolder } from './served.ts';
import { rowsIn } from './worked-week.ts';

withBrowser();

const NOW = '2026-11-20T12:00:00Z';
const root = mkdtempSync(join(tmpdir(), 'pacekeeper-log-'));
let served: Served;

/** Changes by a rule in October and in November, one of October set back by anna. */
beforeAll(async () => {
  writeFolder(root, 'queries', TRIM_QUERIES);
  writeFolder(root, 'rules', TRIM_RULES);
  writeFileSync(join(root, 'pacekeeper.yaml'), 'automation: { mode: apply }\n');
  const run = async (at: string, ...args: readonly string[]) => {
    const { code, stderr } = await runCli(args, { cwd: root, env: { PACEKEEPER_NOW: at } });
    expect(code, stderr).toBe(0);
  };
  await run('2026-10-20T12:00:00Z', 'report');
  await run('2026-10-21T09:30:00Z', 'budgets', 'undo', 'B1', '--by=anna', '--why=agreed with the client');
  await run(NOW, 'report');
  served = await serveFolder(root, { PACEKEEPER_NOW: NOW });
});

afterAll(async () => {
  await served.close();
  rmSync(root, { recursive: true });
});

describe('finance, with a token of the role viewer', () => {
  it.each([false, true])('finds who changed what in October, and why (JavaScript: %s)', async (javaScriptEnabled) => {
    const { page, elsewhere, complaints, close } = await visit(served.address, { javaScriptEnabled });
    await logIn(page, served.address, served.token);
    // The login is answered with 401.
    const known = complaints.length;
    await page.getByRole('navigation').getByRole('link', { name: 'Change log' }).click();
    await page.locator('summary', { hasText: 'Filter' }).click();
    await page.getByRole('textbox', { name: 'From', exact: true }).fill('2026-10-01');
    await page.getByRole('textbox', { name: 'To', exact: true }).fill('2026-10-31');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/from=2026-10-01/);

    const changes = rowsIn<{ id: bigint; name: string; reason: string }>(
      root,
      'state',
      `SELECT id, campaign_name AS name, reason FROM budget_intent WHERE created_at LIKE '2026-10%' ORDER BY id DESC`,
    );
    expect(changes).toHaveLength(2);
    expect((await page.locator('.find').textContent())?.trim()).toBe(
      'From 1 Oct 2026 until 31 Oct 2026, rules made 1 change and anna undid 1 change.',
    );
    const entries = page.locator('.events > li');
    expect(await entries.count()).toBe(changes.length);
    const undo = entries.first();
    for (const part of ['09:30', 'anna undid B1', changes[0]?.name ?? '', 'agreed with the client'])
      expect(await undo.textContent()).toContain(part);
    await entries.last().locator('summary').click();
    expect(await entries.last().locator('.log').textContent()).toContain(changes[1]?.reason);

    const loading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV', exact: true }).click();
    const csv = readFileSync(await (await loading).path(), 'utf8');
    const lines = parse<Record<string, string>>(csv, { columns: true });
    expect(lines.map(({ id }) => id)).toEqual(changes.map(({ id }) => String(id)));

    await page.getByRole('link', { name: 'anna' }).first().click();
    await page.waitForURL(/by=anna/);
    expect(await entries.count()).toBe(1);

    const record = page.locator('.notice', { hasText: 'Record intact.' });
    await record.locator('summary').click();
    const [head] = rowsIn<{ head: string }>(
      root,
      'state',
      "SELECT id || ':' || hash AS head FROM budget_event ORDER BY id DESC LIMIT 1",
    );
    expect(await record.locator('code').textContent()).toBe(`pacekeeper audit verify --head ${head?.head}`);
    const verified = await runCli(['audit', 'verify', '--offline', '--head', head?.head ?? ''], {
      cwd: root,
      env: { PACEKEEPER_NOW: NOW },
    });
    expect([verified.code, verified.stderr]).toEqual([0, expect.anything()]);
    expect([elsewhere, complaints.slice(known)]).toEqual([[], []]);
    await close();
  });
});

describe('the change log', () => {
  it.each(looks())(
    'has no finding of axe, and nothing is cut off, at $width, $colorScheme',
    async ({ width, colorScheme }) => {
      const options = { viewport: { width, height: 900 }, colorScheme, javaScriptEnabled: true, bypassCSP: true };
      const { page, close } = await visit(served.address, options);
      await logIn(page, served.address, served.token);
      for (const query of ['', '?from=2026-10-01&to=2026-10-31&by=anna', '?kind=all', '?by=nobody']) {
        await page.goto(`${served.address}/log${query}`);
        for (const fold of await page.locator('main details:not(.filter) > summary').all()) await fold.click();
        expect([query, await overflowOf(page)]).toEqual([query, 0]);
        await expectAccessible(page);
        expect([query, await axeFindings(page)]).toEqual([query, []]);
      }
      await close();
    },
  );
});
