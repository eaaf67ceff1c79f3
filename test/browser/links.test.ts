import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { axeFindings, expectAccessible, logIn, looks, overflowOf, visit, withBrowser } from './browser.ts';
import { type Served, serveFolder } from './served.ts';

withBrowser();

const ENV = { PACEKEEPER_NOW: '2026-11-28T05:30:00Z', SERVE_LINKS: 'true' };
const SCREENSHOTS = process.env.SCREENSHOTS;
const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-links-'));
let served: Served;

beforeAll(async () => {
  mkdirSync(join(folder, 'rules'));
  cpSync('queries', join(folder, 'queries'), { recursive: true });
  const { code, stderr } = await runCli(['extract'], { cwd: folder, env: ENV });
  expect(code, stderr).toBe(0);
  served = await serveFolder(folder, ENV, 'admin');
});
afterAll(async () => {
  await served.close();
  rmSync(folder, { recursive: true });
});

it.each([
  ['with a script', true],
  ['without a script', false],
])('a person makes a read link %s, and its key ends with it', async (name, javaScriptEnabled) => {
  const { page, close } = await visit(served.address, { javaScriptEnabled });
  onTestFinished(close);
  await logIn(page, served.address, served.token);
  await page.goto(`${served.address}/explore`);
  await page.getByRole('link', { name: /read links/i }).click();
  await page.getByLabel('Table', { exact: true }).selectOption('account');
  await page.getByLabel(/^Columns/).fill('customer_id, name');
  await page.getByRole('button', { name: 'Make link' }).click();
  const shown = page.getByText(/\/tables\/account\.csv\?key=/).first();
  await shown.waitFor();
  const [made = '', key = name] = /\/tables\/account\.csv\?key=([\w-]+)/.exec((await shown.textContent()) ?? '') ?? [];
  // The server has a free port, which only this test knows.
  const read = () => fetch(served.address + made);
  const answer = await read();
  expect(answer.status).toBe(200);
  expect((await answer.text()).split('\r\n')[0]).toBe('"customer_id","name"');
  await page.goto(`${served.address}/links`);
  expect(await page.content()).not.toContain(key);
  await page.getByLabel('Link', { exact: true }).selectOption({ index: 0 });
  await page.getByRole('button', { name: 'Revoke link' }).click();
  await page.getByRole('heading', { name: /revoked/i }).waitFor();
  expect((await read()).status).toBe(410);
});

it.each(looks())('the page of links fits $width pixels ($colorScheme)', async ({ width, colorScheme }) => {
  await runCli(['serve', 'link', 'create', '--table=account', '--by=anna'], { cwd: folder, env: ENV });
  const viewport = { width, height: 812 };
  const { page, complaints, close } = await visit(served.address, {
    javaScriptEnabled: true,
    bypassCSP: true,
    viewport,
    colorScheme,
  });
  onTestFinished(close);
  await logIn(page, served.address, served.token);
  await page.goto(`${served.address}/links`);
  expect(await overflowOf(page)).toBe(0);
  await expectAccessible(page);
  expect(await axeFindings(page)).toEqual([]);
  expect(complaints.filter((text) => !/status of 401/.test(text))).toEqual([]);
  if (SCREENSHOTS)
    await page.screenshot({ path: join(SCREENSHOTS, `links-${width}-${colorScheme}.png`), fullPage: true });
});
