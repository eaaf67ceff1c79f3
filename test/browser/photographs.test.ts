import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pixelmatch from 'pixelmatch';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putNorthwind } from '../support/northwind-target.ts';
import { runCli } from '../support/run-cli.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../support/trim-rule.ts';
import { NOON, writeFolder } from '../support/world.ts';
import { ALL_LOOKS, logIn, looks, type Visit, visit, withBrowser } from './browser.ts';
import { type Served, serveFolder } from './served.ts';

withBrowser();

/** `npm run photographs` sets it, to store new photographs. */
const isRenewed = process.env.RENEW === '1';
const STORED = 'test/browser/photographs';
/** In `git`, they stay small. */
const STORED_BYTES_MAX = 3 * 2 ** 20;

const PAGES: Readonly<Record<string, string>> = {
  overview: '/',
  inbox: '/inbox',
  act: '/inbox?act=undo&on=B1',
  account: `/accounts/${TRIMMED.customerId}`,
  budgets: '/budgets',
  budget: `/budgets/${TRIMMED.customerId}/${TRIMMED.budgetId}`,
  campaign: '/campaigns/4081725530/17204209458',
  rules: '/rules',
  rule: '/rules/cut',
  log: '/log',
  alerts: '/alerts',
  coverage: '/coverage',
  runs: '/runs',
  run: '/runs/2',
  search: '/search?q=sch',
  explore: '/explore',
  kit: '/kit',
  login: '/login',
};

type Look = (typeof ALL_LOOKS)[number];

/** All pages on a phone. Of the wide photographs, which are large, those that differ most. */
const WIDE = ['overview', 'inbox', 'act', 'budgets', 'budget', 'explore', 'kit', 'login'];
const pagesAt = (look: Look) =>
  look === ALL_LOOKS[0] ? Object.keys(PAGES) : look === ALL_LOOKS[1] ? WIDE : ['overview'];
const fileOf = (name: string, { width, colorScheme }: Look) => `${name}-${width}-${colorScheme}.png`;

const FILES = ALL_LOOKS.flatMap((look) => pagesAt(look).map((name) => fileOf(name, look)));
const strays = () => readdirSync(STORED).filter((file) => !FILES.includes(file));

const RULES = {
  ...TRIM_RULES,
  'cut.yaml': `description: Cut the budget of watches.
from: campaign_spend
for: campaign
over: 7 days
where: campaign_name = 'GPS Watches'
when: clicks >= 1
change: decrease budget by 10%
limits: { step: 20% }
mode: approve
`,
  'busy.yaml': `description: Tell of clicks.
from: campaign_spend
for: account
over: 7 days
when: clicks >= 1000
alert: { severity: warning, text: "{clicks} clicks" }
`,
};

/** The font of the photographs lacks the Japanese names of the fourth account. */
const REPORT = ['report', '--customer', TRIMMED.customerId, '7350926148', '6193047821'];
const SAME = `--import ${resolve('test/support/same-each-time.mjs')}`;

const root = mkdtempSync(join(tmpdir(), 'pacekeeper-photographed-'));
let served: Served;

beforeAll(async () => {
  writeFolder(root, 'queries', TRIM_QUERIES);
  for (const query of ['campaign_spend.sql', 'campaign_budget.sql'])
    cpSync(`queries/${query}`, join(root, 'queries', query));
  writeFolder(root, 'rules', RULES);
  putNorthwind(root);
  for (const now of ['2026-11-19T12:00:00Z', NOON]) {
    const { code, stderr } = await runCli(REPORT, { cwd: root, env: { PACEKEEPER_NOW: now, NODE_OPTIONS: SAME } });
    expect(code, stderr).toBe(0);
  }
  served = await serveFolder(root, { PACEKEEPER_NOW: NOON, SERVE_KIT: 'true' }, 'approver');
  mkdirSync(STORED, { recursive: true });
  if (isRenewed) for (const file of strays()) rmSync(join(STORED, file));
});

afterAll(async () => {
  await served.close();
  rmSync(root, { recursive: true });
});

const { resolve: packaged } = createRequire(import.meta.url);
const faceOf = (family: string, file: string, weight: string) => {
  const font = readFileSync(packaged(`dejavu-fonts-ttf/ttf/${file}.ttf`)).toString('base64');
  return `@font-face{font-family:${family};font-weight:${weight};src:url(data:font/ttf;base64,${font})}`;
};

/** The fonts of the machine do not count. */
const FONTS = `${faceOf('Words', 'DejaVuSans', '1 500')}
${faceOf('Words', 'DejaVuSans-Bold', '501 1000')}
${faceOf('Code', 'DejaVuSansMono', '1 1000')}
:root{--font:Words!important;--mono:Code!important}`;

/** The fonts lack emoji. Each machine would draw them in its own way. */
const WITHOUT_EMOJI = `for (const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); texts.nextNode(); )
  texts.currentNode.data = texts.currentNode.data.replace(/\\p{Extended_Pictographic}/gu, '')`;

/** A page gives the focus to a field in its first frame, and scrolls to it. */
const READY = `Promise.all([...document.fonts].map((font) => font.load()))
  .then(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
  .then(() => scrollTo(0, 0))`;

async function photograph(page: Page, name: string): Promise<Buffer> {
  await page.addStyleTag({ content: FONTS });
  await page.evaluate(WITHOUT_EMOJI);
  await page.evaluate(READY);
  return page.screenshot({ animations: 'disabled', caret: 'hide', fullPage: name === 'kit' });
}

/** In OKLab, where people begin to see a difference of colours. */
const THRESHOLD = 0.02;
/** The same chromium draws the same pixels. This share leaves room for some antialiasing, but not for a letter. */
const SHARE_MAX = 0.00002;

/** Undefined if the photograph is like the stored one. Otherwise it is put beside it, with the difference in red. */
function findingOf(file: string, actual: Buffer): string | undefined {
  const stored = join(STORED, file);
  const folder = join(tmpdir(), 'pacekeeper-photographs');
  const told = (finding: string, difference?: Buffer) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), actual);
    if (difference) writeFileSync(join(folder, `difference-${file}`), difference);
    return `${finding} Look at ${join(folder, file)}. If it is right, run npm run photographs.`;
  };
  if (!existsSync(stored)) return told(`${stored} is missing.`);
  const now = PNG.sync.read(actual);
  const before = PNG.sync.read(readFileSync(stored));
  const { width, height } = now;
  if (width !== before.width || height !== before.height) {
    return told(`${stored} is ${before.width} × ${before.height}, the page ${width} × ${height} pixels.`);
  }
  const difference = new PNG({ width, height });
  const count = pixelmatch(before.data, now.data, difference.data, width, height, { threshold: THRESHOLD });
  const most = Math.floor(SHARE_MAX * width * height);
  return count > most
    ? told(`${count} pixels differ from ${stored}, at most ${most} may.`, PNG.sync.write(difference))
    : undefined;
}

describe.each(isRenewed ? ALL_LOOKS : looks())('at $width, $colorScheme', (look) => {
  let visited: Visit;
  beforeAll(async () => {
    const { width, colorScheme } = look;
    const viewport = { width, height: width === 375 ? 812 : 900 };
    visited = await visit(served.address, { viewport, colorScheme, javaScriptEnabled: true, bypassCSP: true });
    await logIn(visited.page, served.address, served.token);
  });
  afterAll(() => visited.close());

  it.each(pagesAt(look))('the page %s looks as in its photograph', async (name) => {
    const { page } = visited;
    if (name === 'login') await page.context().clearCookies();
    const answer = await page.goto(`${served.address}${PAGES[name]}`);
    expect(answer?.status()).toBe(name === 'login' ? 401 : 200);
    const taken = await photograph(page, name);
    const file = fileOf(name, look);
    // A photograph that looks the same stays as it is, byte for byte.
    if (isRenewed && findingOf(file, taken) !== undefined) writeFileSync(join(STORED, file), taken);
    expect(findingOf(file, taken)).toBeUndefined();
  });
});

it('the stored photographs are those that are compared, and small', () => {
  expect([strays(), FILES.filter((file) => !existsSync(join(STORED, file)))]).toEqual([[], []]);
  const bytes = FILES.reduce((sum, file) => sum + statSync(join(STORED, file)).size, 0);
  expect(bytes).toBeLessThanOrEqual(STORED_BYTES_MAX);
});
