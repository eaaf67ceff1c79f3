import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { NOON } from '../support/world.ts';
import { axeFindings, logIn, visit, withBrowser } from './browser.ts';
import { type Served, serveFolder } from './served.ts';

withBrowser();

const ENV = { PACEKEEPER_NOW: NOON };
const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-tables-'));
let served: Served;

beforeAll(async () => {
  for (const name of ['queries', 'rules']) mkdirSync(join(folder, name));
  for (const name of ['campaign', 'campaign_spend', 'campaign_budget'])
    cpSync(`queries/${name}.sql`, join(folder, 'queries', `${name}.sql`));
  const { code, stderr } = await runCli(['report'], { cwd: folder, env: ENV });
  expect(code, stderr).toBe(0);
  served = await serveFolder(folder, ENV);
});
afterAll(async () => {
  await served.close();
  rmSync(folder, { recursive: true });
});

async function budgets(options: Parameters<typeof visit>[1] = {}) {
  const visited = await visit(served.address, { javaScriptEnabled: true, ...options });
  await logIn(visited.page, served.address, served.token);
  await visited.page.goto(`${served.address}/budgets`);
  return visited;
}

/** The texts of a column, without notes. */
async function column(page: Page, title: string): Promise<string[]> {
  const at = (await page.locator('main thead th').allTextContents()).indexOf(title);
  expect(at, title).toBeGreaterThan(-1);
  return page.locator(`main tbody tr > :nth-child(${at + 1})`).allInnerTexts();
}

interface Amount {
  readonly currency: string;
  readonly value: number;
}

function amountIn(text: string): Amount | undefined {
  const [, digits = '', currency = ''] = /([\d,]+(?:\.\d+)?) ([A-Z]{3})/.exec(text) ?? [];
  return digits === '' ? undefined : { currency, value: Number(digits.replaceAll(',', '')) };
}

describe('a table of the dashboard', () => {
  it('is sorted by the heading of an amount within each currency, highest first, then lowest, with unknown values last', async () => {
    const { page, complaints, close } = await budgets();
    const before = (await column(page, 'Spend')).map(amountIn);
    const known = before.filter((one) => one !== undefined);
    const unknown = before.filter((one) => one === undefined);
    const inOrder = (sign: number) => [
      ...known.toSorted((one, other) =>
        one.currency === other.currency ? sign * (one.value - other.value) : one.currency < other.currency ? -1 : 1,
      ),
      ...unknown,
    ];
    expect(new Set(known.map(({ currency }) => currency)).size).toBeGreaterThan(2);
    const heading = page.getByRole('columnheader', { name: 'Spend', exact: true });
    await heading.getByRole('button').click();
    expect((await column(page, 'Spend')).map(amountIn)).toEqual(inOrder(-1));
    expect(await heading.getAttribute('aria-sort')).toBe('descending');
    await heading.getByRole('button').press('Enter');
    expect((await column(page, 'Spend')).map(amountIn)).toEqual(inOrder(1));
    expect(await heading.getAttribute('aria-sort')).toBe('ascending');
    expect(complaints.filter((text) => !/status of 401/.test(text))).toEqual([]);
    await close();
  });

  it('is sorted by the heading of a text from A, and only one heading says so', async () => {
    const { page, close } = await budgets({ bypassCSP: true });
    await page.getByRole('columnheader', { name: 'Spend', exact: true }).getByRole('button').click();
    await page.getByRole('columnheader', { name: 'Account', exact: true }).getByRole('button').click();
    const accounts = await column(page, 'Account');
    expect(accounts).toEqual(accounts.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true })));
    expect(new Set(accounts).size).toBeGreaterThan(2);
    expect(await page.locator('[aria-sort]').count()).toBe(1);
    expect(await axeFindings(page)).toEqual([]);
    await close();
  });

  it('keeps its order, and its headings are no buttons, without JavaScript', async () => {
    const { page, close } = await budgets({ javaScriptEnabled: false });
    expect(await page.locator('main thead button').count()).toBe(0);
    await close();
  });
});
