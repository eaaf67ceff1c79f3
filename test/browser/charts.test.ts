import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { addDays } from '../../src/domain/civil-date.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { dayChart } from '../../src/views/html/chart/day-chart.ts';
import { document } from '../../src/views/html/document.ts';
import { html } from '../../src/views/html/html.ts';
import { drawnMoney } from '../../src/views/html/wording.ts';
import { axeFindings, looks, overflowOf, visit, withBrowser } from './browser.ts';

withBrowser();

const root = mkdtempSync(join(tmpdir(), 'pacekeeper-charts-'));
afterAll(() => rmSync(root, { recursive: true }));

const NAMES = [
  `${'A long name '.repeat(20)}\u202e שלום <script>`,
  '東京文具店の万年筆と手帳の季節限定キャンペーン',
  'Regenjacken-Ausverkauf-Übergrößen-Sonderposten',
];
const days = (count: number) => Array.from({ length: count }, (_, index) => addDays(civilDate('2026-11-01'), index));
const amounts = (count: number) => days(count).map((_, index) => 90_000_000n + BigInt(index % 7) * 1_230_000n);

function chartOf(title: string, count: number, names: readonly string[] = ['Spend per day', 'Daily budget']) {
  const last = Math.max(0, count - 1);
  const words = 'B3, undo of B2: 99.00 EUR → 90.00 EUR';
  return dayChart({
    title,
    summary: 'Rings mark changes.',
    unit: 'EUR',
    x: days(count),
    series: names.map((name, index) => ({
      name,
      ...drawnMoney(amounts(count), 'EUR'),
      bars: index === 0,
      end: { value: '90.00 EUR', word: 'in force' },
      marks: index === 1 ? [{ index: last, words, label: 'B3', href: '#B3' }] : [],
    })),
  });
}

const body = html`<h1>Charts</h1>
<section><h2>Usual</h2>${chartOf('Usual', 28)}<p id="B3">B3</p></section>
<section><h2>Extreme</h2><div class="charts">${chartOf('Hostile names', 14, NAMES)}${chartOf('One day', 1)}${chartOf('No day', 0)}${chartOf('A year', 396)}</div></section>`;
const file = join(root, 'charts.html');
writeFileSync(file, document({ title: 'Charts', body }));

async function opened(options: BrowserContextOptions = {}) {
  const { href } = pathToFileURL(file);
  const visited = await visit(href, options);
  await visited.page.goto(href);
  return visited;
}

async function contentAfter(page: Page, selector: string): Promise<string> {
  return page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)}), "::after").content`);
}

describe('charts in a browser', () => {
  it.each(looks())(
    'are accessible at $width, $colorScheme, also with hostile names',
    async ({ width, colorScheme }) => {
      const options = { viewport: { width, height: 900 }, colorScheme, javaScriptEnabled: true, bypassCSP: true };
      const { page, asked, close } = await opened(options);
      expect(await overflowOf(page)).toBe(0);
      expect(await axeFindings(page)).toEqual([]);
      const boxes = await page.evaluate('[...document.querySelectorAll(".mark")].map((one) => one.offsetWidth)');
      for (const size of boxes as number[]) expect(size).toBeGreaterThanOrEqual(24);
      expect(asked).toHaveLength(1);
      await close();
    },
  );

  it.each(looks())('show the exact values of the day under the pointer, inside the page at $width', async (look) => {
    const { page, close } = await opened({ viewport: { width: look.width, height: 900 } });
    const tip = (place: number, chart = 0) => page.locator('.plot').nth(chart).locator('i').nth(place);
    expect(await contentAfter(page, '.plot i:nth-child(4)')).toBe('none');
    for (const [chart, places] of [
      [0, [0, 13, 14, 27]],
      [1, [0, 6, 7, 13]],
      [2, [0]],
      [3, [0, 197, 198, 395]],
    ] as const) {
      for (const place of places) {
        await tip(place, chart).hover({ force: true });
        expect(await contentAfter(page, '.plot i:hover')).toContain(' EUR ');
        expect(await overflowOf(page)).toBe(0);
      }
    }
    await tip(3).hover();
    expect(await contentAfter(page, '.plot i:hover')).toBe(
      '"Wed 4 Nov\\a 93.69 EUR Spend per day\\a 93.69 EUR Daily budget"',
    );
    await close();
  });

  it('switch a series off and on by keyboard, in their own chart only', async () => {
    const { page, close } = await opened();
    const line = (chart: number, index: number) => page.locator('.plot').nth(chart).locator(`g.s${index}`);
    await page.getByRole('checkbox', { name: 'Daily budget' }).first().focus();
    await page.keyboard.press('Space');
    expect(await line(0, 1).isVisible()).toBe(false);
    expect(await page.locator('.plot').first().locator('.mark').isVisible()).toBe(false);
    expect([await line(0, 0).isVisible(), await line(3, 1).isVisible()]).toEqual([true, true]);
    await page.keyboard.press('Space');
    expect(await line(0, 1).isVisible()).toBe(true);
    await close();
  });

  it('lead from a mark to its change, whose words are shown on focus', async () => {
    const { page, close } = await opened();
    await page.getByRole('checkbox', { name: 'Daily budget' }).first().focus();
    await page.keyboard.press('Tab');
    expect(await page.getByRole('link', { name: 'B3, undo of B2' }).count()).toBeGreaterThan(0);
    expect(await contentAfter(page, '.mark:focus')).toContain('99.00 EUR → 90.00 EUR');
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe('#B3');
    await close();
  });

  it('are the same picture without JavaScript', async () => {
    const pictures = [];
    for (const javaScriptEnabled of [false, true]) {
      const { page, close } = await opened({ javaScriptEnabled });
      pictures.push(await page.screenshot({ fullPage: true }));
      await close();
    }
    expect(pictures[0]?.equals(pictures[1] ?? Buffer.alloc(0))).toBe(true);
  });

  it('are printed with their lines and words, and without tips', async () => {
    const { page, close } = await opened();
    await page.locator('.plot i').nth(3).hover();
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.plot').first().locator('g.s1').isVisible()).toBe(true);
    expect(await page.locator('.plot').first().getByText('in force').first().isVisible()).toBe(true);
    expect(await page.locator('.plot').first().locator('.tips').isVisible()).toBe(false);
    await close();
  });
});
