import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { axeFindings, expectAccessible, logIn, looks, overflowOf, visit, withBrowser } from './browser.ts';
import { type Served, serveFolder } from './served.ts';
import { rowsIn } from './worked-week.ts';

withBrowser();

const ENV = { PACEKEEPER_NOW: '2026-11-28T05:30:00Z' };
const SCREENSHOTS = process.env.SCREENSHOTS;
const root = mkdtempSync(join(tmpdir(), 'pacekeeper-plans-'));
const first = join(root, 'first');
afterAll(() => rmSync(root, { recursive: true }));

/** A plan of three lines awaits approval. */
beforeAll(async () => {
  mkdirSync(join(first, 'rules'), { recursive: true });
  cpSync('queries', join(first, 'queries'), { recursive: true });
  const pacing = readFileSync('rules/month-pacing.yaml', 'utf8').replace(/^mode: \w+/m, 'mode: approve');
  writeFileSync(join(first, 'rules', 'month-pacing.yaml'), pacing);
  const { code, stderr } = await runCli(['report'], { cwd: first, env: ENV });
  expect(code, stderr).toBe(0);
});

interface Line {
  readonly code: string;
  readonly from: bigint;
  readonly to: bigint;
}

async function planned(copy: string) {
  const folder = join(root, copy);
  cpSync(first, folder, { recursive: true });
  const served: Served = await serveFolder(folder, ENV, 'approver');
  onTestFinished(() => served.close());
  const lines = rowsIn<Line>(
    folder,
    'state',
    'SELECT code, from_micros AS "from", to_micros AS "to" FROM budget_proposal ORDER BY code',
  );
  return {
    folder,
    served,
    lines,
    /** The code and the amount of each change. */
    made: () =>
      rowsIn<{ code: string; to: bigint }>(
        folder,
        'state',
        `SELECT p.code, i.to_micros AS "to" FROM budget_intent AS i JOIN budget_proposal AS p ON p.intent_id = i.id
         WHERE i.state = 'applied' ORDER BY p.code`,
      ),
    async open(options: Parameters<typeof visit>[1] = {}) {
      const visited = await visit(served.address, options);
      onTestFinished(() => visited.close());
      await logIn(visited.page, served.address, served.token);
      await visited.page.goto(`${served.address}/inbox`);
      return visited;
    },
  };
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function confirm(page: Page, verb = 'Approve'): Promise<void> {
  await page.getByLabel('Your reason').fill('seen in the browser');
  await button(page, verb).last().click();
  await page.getByRole('heading', { name: /^(?:Done|Failed|Nothing was changed)/ }).waitFor();
}

describe.each([
  ['with a script', true, 1400],
  ['without a script', false, 1400],
  ['on a phone without a script', false, 375],
])('a person %s', (look, javaScriptEnabled, width) => {
  const options = { javaScriptEnabled, viewport: { width, height: 812 } };

  it('approves all lines of a plan in one act, and undoes one from the result', async () => {
    const { open, lines, made } = await planned(`all ${look}`);
    const { page, complaints } = await open(options);
    await button(page, 'Approve all 3').click();
    await page.getByRole('heading', { name: 'Approve 3 changes' }).waitFor();
    await confirm(page);
    expect(made()).toEqual(lines.map(({ code, to }) => ({ code, to })));
    expect(await page.getByText(/^Made by browser: B\d+/).count()).toBe(3);
    await page
      .getByRole('link', { name: /^Undo B\d+$/ })
      .first()
      .click();
    await confirm(page, 'Undo');
    await page.getByRole('heading', { name: /^Done: Undo B/ }).waitFor();
    expect(complaints.filter((text) => !/status of 401/.test(text))).toEqual([]);
  });

  it('approves some lines, one with a smaller step', async () => {
    const { open, lines, made, folder } = await planned(`some ${look}`);
    const [one, two, three] = lines;
    const { page } = await open(options);
    await page.getByRole('checkbox', { name: two?.code ?? '' }).uncheck();
    await page.getByRole('textbox', { name: `for ${three?.code}` }).fill('20.00');
    await button(page, 'Approve chosen').click();
    await page.getByRole('heading', { name: 'Approve 2 changes' }).waitFor();
    await confirm(page);
    expect(made()).toEqual([
      { code: one?.code, to: one?.to },
      { code: three?.code, to: 20_000_000n },
    ]);
    const open2 = rowsIn(folder, 'state', "SELECT code FROM budget_proposal WHERE state = 'open'");
    expect(open2).toEqual([{ code: two?.code }]);
  });
});

it('says which amount is wrong, and changes nothing', async () => {
  const { open, lines, made } = await planned('wrong');
  const { page } = await open();
  await page.getByRole('textbox', { name: `for ${lines[0]?.code}` }).fill('1e2');
  await button(page, 'Approve all 3').click();
  await page.getByText('is "1e2", expected one such as 60.00.').waitFor();
  expect(await button(page, 'Approve').count()).toBe(0);
  expect(made()).toEqual([]);
});

it('lets two browsers approve the same plan once, and tells the second by whom', async () => {
  const { open, made } = await planned('two');
  const one = await open();
  const two = await open({ javaScriptEnabled: false });
  for (const { page } of [one, two]) {
    await button(page, 'Approve all 3').click();
    await page.getByLabel('Your reason').waitFor();
  }
  await confirm(one.page);
  await confirm(two.page);
  await two.page.getByRole('heading', { name: 'Nothing was changed' }).waitFor();
  expect(await two.page.getByText(/(Proposal \w+ is approved, by browser\. ?){3}/).count()).toBe(1);
  expect(made()).toHaveLength(3);
});

it('keeps a plan from approval while budgets are frozen, and lets a person reject it', async () => {
  const { open, folder } = await planned('frozen');
  expect((await runCli(['freeze', '--why', 'sale', '--by', 'berta'], { cwd: folder, env: ENV })).code).toBe(0);
  const { page } = await open();
  expect(await button(page, 'Approve all 3').isDisabled()).toBe(true);
  expect(await button(page, 'Approve chosen').isDisabled()).toBe(true);
  await page.getByText('not while budgets are frozen').waitFor();
  await button(page, 'Reject chosen').click();
  await confirm(page, 'Reject');
  await page.getByRole('heading', { name: 'Done: Reject 3 changes' }).waitFor();
  const rejected = rowsIn(folder, 'state', "SELECT code FROM budget_proposal WHERE state = 'rejected'");
  expect(rejected).toHaveLength(3);
});

it('keeps the acts of a long card in sight on a phone, above the navigation', async () => {
  const { open } = await planned('phone');
  const { page } = await open({ viewport: { width: 375, height: 700 }, hasTouch: true });
  await page.evaluate(() => document.querySelector('article.ask .asked')?.scrollIntoView({ block: 'start' }));
  const bar = await page.locator('.plan .ways').first().boundingBox();
  const nav = await page.locator('.shell nav').boundingBox();
  expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual((nav?.y ?? 0) + 1);
  expect(bar?.y).toBeGreaterThan(0);
  for (const one of await page.locator('.plan').first().getByRole('button').all()) {
    expect((await one.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }
});

describe.each(looks())('a plan at $width, $colorScheme', ({ width, colorScheme }) => {
  it('is accessible and fits, as are its confirmation and its result', async () => {
    const { open, lines } = await planned(`look ${width} ${colorScheme}`);
    const options = { viewport: { width, height: 900 }, colorScheme, javaScriptEnabled: true, bypassCSP: true };
    const { page } = await open(options);
    const look = async (step: string) => {
      expect([step, await overflowOf(page)]).toEqual([step, 0]);
      await expectAccessible(page);
      expect([step, await axeFindings(page)]).toEqual([step, []]);
      if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `plan-${step}-${width}-${colorScheme}.png`) });
    };
    await look('inbox');
    await page.getByRole('textbox', { name: `for ${lines[0]?.code}` }).fill('20.00');
    await button(page, 'Approve all 3').click();
    await page.locator('dialog form').waitFor();
    await look('confirmation');
    await confirm(page);
    await look('result');
  });
});
