import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { isLong } from '../support/effort.ts';

const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

let browser: Browser;

/** To be called by each file once: the browser of its tests. */
export function withBrowser(): void {
  beforeAll(async () => {
    const executablePath = PLACES.find((place) => place !== undefined && existsSync(place));
    if (executablePath === undefined) {
      throw new Error('There is no chromium: apt-get install chromium, or name one with CHROMIUM=/path/to/it.');
    }
    // The sandbox of the browser needs rights that a container does not give; these pages are ours.
    browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
    });
  });
  afterAll(() => browser.close());
}

export interface Visit {
  readonly page: Page;
  /** Every address that was asked for. */
  readonly asked: readonly string[];
  /** Those of them that were refused: as far as they are not of the server that is visited. */
  readonly elsewhere: readonly string[];
  /** What the browser complained about: its console's errors and warnings, and what was thrown. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** A browser without JavaScript that reaches the one address and nothing else. */
export async function visit(address: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ javaScriptEnabled: false, ...options });
  const asked: string[] = [];
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  await context.route('**/*', (route) => {
    const url = route.request().url();
    asked.push(url);
    if (url.startsWith(address)) return route.continue();
    elsewhere.push(url);
    return route.abort();
  });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, asked, elsewhere, complaints, close: () => context.close() };
}

export const ALL_LOOKS = [
  { width: 375, colorScheme: 'light' },
  { width: 1400, colorScheme: 'dark' },
  { width: 375, colorScheme: 'dark' },
  { width: 800, colorScheme: 'light' },
  { width: 1400, colorScheme: 'light' },
] as const;

/** The narrowest and the widest screen, one of them dark. `npm run test:long` takes all. */
export function looks() {
  return isLong ? ALL_LOOKS : ALL_LOOKS.slice(0, 2);
}

export const widths = () => [...new Set(looks().map(({ width }) => width))];

/** By the form, as a person does it. */
export async function logIn(page: Page, address: string, token: string): Promise<void> {
  await page.goto(`${address}/`);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('header.shell').waitFor();
}

/** How much wider than its window a page is, pixels. */
export async function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Every picture of a chart has a name, every table a caption, every heading a place; one h1; every field a label. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await page.locator('h1').count()).toBe(1);
  expect(await page.locator('svg:not([aria-label]):not([aria-hidden])').count()).toBe(0);
  expect(await page.locator('table:not(:has(caption))').count()).toBe(0);
  expect(await page.locator('th:not([scope])').count()).toBe(0);
  expect(await page.locator('html[lang="en"]').count()).toBe(1);
  expect(await page.locator('main').count()).toBe(1);
  expect(await page.locator('[id=""]').count()).toBe(0);
  const levels = (await page.evaluate(
    '[...document.querySelectorAll("h1,h2,h3,h4")].map((h) => Number(h.tagName[1]))',
  )) as number[];
  for (const [index, level] of levels.entries()) {
    expect(level, `heading ${index + 1}`).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1);
  }
  const ids = (await page.evaluate('[...document.querySelectorAll("[id]")].map((one) => one.id)')) as string[];
  expect(ids).toEqual([...new Set(ids)]);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds on the page, which needs `javaScriptEnabled` and `bypassCSP`. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
