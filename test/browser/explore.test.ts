import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { formatMoneyRounded } from '../../src/domain/micros.ts';
import { fillHostileState } from '../support/hostile-state.ts';
import { runCli } from '../support/run-cli.ts';
import { smallPublishedFile } from '../support/small-published-file.ts';
import { axeFindings, expectAccessible, logIn, looks, overflowOf, visit, withBrowser } from './browser.ts';
import { type Served, serveFolder } from './served.ts';
import { ENV, rowsIn } from './worked-week.ts';

withBrowser();

const root = mkdtempSync(join(tmpdir(), 'pacekeeper-explore-'));
const folder = join(root, 'worked');
let served: Served;
let viewer: string;
let hostile: Served;

beforeAll(async () => {
  cpSync('queries', join(folder, 'queries'), { recursive: true });
  mkdirSync(join(folder, 'rules'));
  const { code, stderr } = await runCli(['report'], { cwd: folder, env: ENV });
  expect(code, stderr).toBe(0);
  served = await serveFolder(folder, ENV, 'approver');
  const made = await runCli(['serve', 'token', '--name', 'vera', '--role', 'viewer'], { cwd: folder, env: ENV });
  viewer = made.stdout.trim();
  await fillHostileState(join(root, 'hostile', 'data', 'state.sqlite'));
  smallPublishedFile(join(root, 'hostile', 'data'));
  hostile = await serveFolder(join(root, 'hostile'), ENV, 'admin');
});
afterAll(async () => {
  await Promise.all([served.close(), hostile.close()]);
  rmSync(root, { recursive: true });
});

const DAILY = `SELECT date, currency, sum(cost_micros) AS cost_micros
FROM v_campaign_day
GROUP BY date, currency
ORDER BY date`;

const addressOf = (fields: Readonly<Record<string, string>>) => `/explore?${new URLSearchParams(fields)}`;

async function open(token: string, options: Parameters<typeof visit>[1] = { javaScriptEnabled: true }) {
  const opened = await visit(served.address, options);
  onTestFinished(() => opened.close());
  await logIn(opened.page, served.address, token);
  return opened;
}

/** The answer to a wrong query has the status 400, and the login page 401, which the console repeats. */
const isUnexpected = (text: string) => !/status of 40[01]/.test(text);

const editorOf = (page: Page) => page.getByRole('textbox', { name: 'SQL' });

async function write(page: Page, sql: string): Promise<void> {
  await editorOf(page).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(sql);
}

/** Runs the query with the keyboard, and waits for its page. */
async function run(page: Page): Promise<void> {
  const loaded = page.waitForEvent('load');
  await page.keyboard.press('Control+Enter');
  await loaded;
}

const tips = (page: Page) => page.locator('.plot i').evaluateAll((all) => all.map((one) => one.dataset.tip));

interface Spent {
  readonly date: string;
  readonly currency: string;
  readonly cost: bigint;
}

/** The amounts of one currency, as the chart has them. */
function spentIn(currency: string): string[] {
  const sql = `SELECT date, currency, sum(cost_micros) AS cost FROM v_campaign_day
    WHERE currency = '${currency}' GROUP BY date ORDER BY date`;
  return rowsIn<Spent>(folder, 'warehouse', sql).map(({ cost }) => formatMoneyRounded(cost, currency));
}

describe('an analyst', () => {
  it('writes with completion, finds an error at its place, draws, formats, saves, and a viewer opens it', async () => {
    const { page, complaints, elsewhere } = await open(served.token);
    await page.goto(`${served.address}/explore`);
    await write(page, 'SELECT \nFROM v_campaign_day');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('End');
    await page.keyboard.type('cost_mi');
    const option = page.getByRole('option', { name: /^cost_micros/ });
    await option.waitFor();
    expect(await option.textContent()).toContain("micros of the account's currency");
    const [known] = rowsIn<{ description: string }>(
      folder,
      'warehouse',
      "SELECT description FROM data_dictionary WHERE table_name = 'v_campaign_day' AND column_name = 'cost_micros'",
    );
    await page.locator('.cm-completionInfo', { hasText: known?.description ?? 'no meaning' }).waitFor();
    await option.click();
    await page.keyboard.type(', dat');
    await run(page);
    await page
      .getByRole('alert')
      .getByText('Line 1, column 21: SQLite refuses the query: no such column: dat.')
      .waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('Did you mean date');
    expect(await page.locator('.cm-lintRange-error').textContent()).toBe('dat');

    await write(page, DAILY);
    await run(page);
    expect(await page.locator('figcaption').textContent()).toMatch(/^cost_micros by date EUR$/);
    const amounts = spentIn('EUR');
    expect((await tips(page)).map((tip) => tip?.split('\n')[1])).toEqual(
      amounts.map((amount) => `${amount} cost_micros`),
    );
    await page.getByLabel('Kind').selectOption('bar');
    await page.locator('select[name=currency]').selectOption('JPY');
    await page.getByRole('button', { name: 'Draw' }).click();
    await page.getByText('The chart has only JPY.').waitFor();
    const link = await page.getByRole('link', { name: 'Link to this query' }).getAttribute('href');
    const drawn = await tips(page);
    expect(drawn.map((tip) => tip?.split('\n')[1])).toEqual(spentIn('JPY').map((amount) => `${amount} cost_micros`));

    await page.getByRole('button', { name: 'Format' }).click();
    expect(await page.locator('.cm-line').allTextContents()).toContain('  v_campaign_day');

    await page.getByText('Save as a question that everybody can open').click();
    await page.getByLabel('Name', { exact: true }).fill('Spend <b>by day</b>');
    await page.getByLabel('One sentence').fill('What did all accounts spend on each day?');
    await page.getByRole('button', { name: 'Save question' }).click();
    await page.getByText('Question “Spend <b>by day</b>”. Saved by browser').waitFor();

    const other = await open(viewer);
    await other.page.goto(new URL(link ?? '', `${served.address}/`).href);
    expect(await tips(other.page)).toEqual(drawn);
    await other.page.goto(`${served.address}/explore`);
    await other.page.getByRole('link', { name: 'Spend <b>by day</b>' }).click();
    await other.page.locator('.find', { hasText: 'What did all accounts spend on each day?' }).waitFor();
    expect(await tips(other.page)).toEqual(drawn);
    expect(await other.page.getByText(/^(?:Rename|Save as)/).count()).toBe(0);
    expect([...complaints, ...other.complaints].filter(isUnexpected)).toEqual([]);
    expect([...elsewhere, ...other.elsewhere]).toEqual([]);
  });

  it('does all of this without script', async () => {
    const { page } = await open(served.token, {});
    await page.goto(`${served.address}/explore`);
    await page.getByLabel('SQL').fill('SELECT date, cst\nFROM campaign_spend_by_day');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('Line 1, column 14: SQLite refuses the query: no such column: cst.').waitFor();
    await page.getByText('Did you mean cost?').waitFor();
    await page.getByLabel('SQL').fill(DAILY);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByLabel('Kind').selectOption('stacked');
    await page.getByRole('button', { name: 'Draw' }).click();
    expect(await page.locator('figcaption').textContent()).toBe('cost_micros by date EUR');
    expect(new URL(page.url()).searchParams.get('kind')).toBe('stacked');
    await page.getByText('Save as a question that everybody can open').click();
    await page.getByLabel('Name', { exact: true }).fill('Without script');
    await page.getByLabel('One sentence').fill('What was spent?');
    await page.getByRole('button', { name: 'Save question' }).click();
    await page.getByText('Rename or delete this question').click();
    await page.getByRole('button', { name: 'Delete this question' }).click();
    await page.getByRole('heading', { name: 'Write a query, or begin with a question' }).waitFor();
    expect(await page.getByRole('link', { name: 'Without script' }).count()).toBe(0);
  });

  it('begins with a question that draws money of one currency', async () => {
    const { page } = await open(viewer, {});
    await page.goto(`${served.address}/explore`);
    expect(await page.locator('.questions a').count()).toBe(13);
    await page.locator('.questions a').first().click();
    expect(await page.locator('figcaption small').textContent()).toBe('EUR');
    const weeks = rowsIn<{ cost: bigint }>(
      folder,
      'warehouse',
      `SELECT sum(cost_micros) AS cost FROM campaign_spend_by_week WHERE currency = 'EUR' GROUP BY week ORDER BY week`,
    );
    const shown = (await tips(page)).map((tip) => tip?.split('\n')[1]?.split(' EUR')[0]);
    expect(shown.map(Number)).toEqual(weeks.map(({ cost }) => Math.round(Number(cost) / 1e4) / 100));
  });

  it('gets an answer to each of the thirteen questions', async () => {
    const { page } = await open(viewer, {});
    await page.goto(`${served.address}/explore`);
    const links = await page
      .locator('.questions a')
      .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
    for (const link of links) {
      await page.goto(link);
      expect(await page.getByRole('alert').count(), link).toBe(0);
      expect(await page.locator('.ways', { hasText: /rows?\./ }).count(), link).toBe(1);
    }
  });
});

describe('the editor', () => {
  it('keeps the keyboard free: Tab leaves it, "/" is a character, and a click on its label enters it', async () => {
    const { page } = await open(viewer);
    await page.goto(`${served.address}/explore`);
    await page.getByText('SQL', { exact: true }).click();
    await page.keyboard.type('1 / 2');
    expect(await page.locator('.cm-content').textContent()).toBe('1 / 2');
    expect(await page.locator('textarea#sql').inputValue()).toBe('1 / 2');
    await page.keyboard.press('Tab');
    expect(await page.getByRole('button', { name: 'Run' }).evaluate((one) => one === document.activeElement)).toBe(
      true,
    );
  });

  it('says that a text cannot be formatted, and keeps it', async () => {
    const { page } = await open(viewer);
    await page.goto(`${served.address}/explore`);
    await write(page, "SELECT 'open");
    await page.getByRole('button', { name: 'Format' }).click();
    await page.getByText('The query cannot be formatted.').waitFor();
    expect(await page.locator('.cm-content').textContent()).toBe("SELECT 'open");
  });

  it.each(looks())(
    'is accessible and inside its page at $width pixels, $colorScheme',
    async ({ width, colorScheme }) => {
      const options = { javaScriptEnabled: true, bypassCSP: true, colorScheme, viewport: { width, height: 900 } };
      const { page } = await open(served.token, options);
      for (const path of [
        '/explore',
        addressOf({ sql: DAILY, kind: 'bar' }),
        addressOf({ sql: 'SELECT cst\nFROM account' }),
      ]) {
        await page.goto(served.address + path);
        await page.locator('.cm-editor').waitFor();
        expect(await axeFindings(page), path).toEqual([]);
        expect(await overflowOf(page), path).toBe(0);
        await expectAccessible(page);
      }
    },
  );
});

describe('bad input', () => {
  it.each([
    ['two statements', 'SELECT 1; SELECT 2', /Line 1, column 9: There are several statements/],
    ['a write', 'DELETE FROM account', /expected SELECT or WITH/],
    ['nothing', 'SELECT date FROM v_campaign_day WHERE 0', /^0 rows\./],
    ['a blob', "SELECT x'00ff' AS picture, 1 AS one", /\(2 bytes\)/],
    ['a million rows', 'SELECT 1 FROM v_campaign_day a, v_campaign_day b', /More than 100,000 rows\./],
    [
      'a hostile name',
      `SELECT '<img src=x>' AS "<script>alert(1)</script>" UNION ALL SELECT '\u202eevil'`,
      /<img src=x>/,
    ],
  ])('%s: the page says what it shows', async (_sentence, sql, words) => {
    const { page, complaints } = await open(viewer);
    await page.goto(served.address + addressOf({ sql }));
    await page.locator('.explore :is(table, .ways, [role=alert])').getByText(words).first().waitFor();
    expect(complaints.filter(isUnexpected)).toEqual([]);
    expect((await page.content()).length).toBeLessThan(1_000_000);
  });

  it('a saved question whose table is gone opens with its error at its place', async () => {
    const { page, complaints, close } = await visit(hostile.address, { javaScriptEnabled: true });
    onTestFinished(close);
    await page.goto(`${hostile.address}/explore`);
    await page.getByLabel('Token').fill(hostile.token);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.locator('.saved a').click();
    await page.getByText('no such table: a_table_that_is_gone').first().waitFor();
    expect(await page.locator('.cm-lintRange-error').first().textContent()).toBe('a_table_that_is_gone');
    expect(complaints.filter(isUnexpected)).toEqual([]);
    // An admin can delete the question of another person.
    await page.getByText('Rename or delete this question').click();
    await page.getByRole('button', { name: 'Delete this question' }).click();
    await page.getByRole('heading', { name: 'Write a query, or begin with a question' }).waitFor();
    expect(await page.locator('.saved').count()).toBe(0);
  });
});
