/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillHostileState, HOSTILE_BUDGET, HOSTILE_CUSTOMER } from '../support/hostile-state.ts';
import { runCli } from '../support/run-cli.ts';
import { NOON } from '../support/world.ts';
import { logIn, overflowOf, visit, withBrowser } from './browser.ts';
import { type Served, serveFolder } from './served.ts';

withBrowser();

const WIDTHS = [700, 800, 1024, 1440, 1920] as const;
const ENV = { PACEKEEPER_NOW: NOON };
const root = mkdtempSync(join(tmpdir(), 'pacekeeper-hidden-columns-'));
const usual = join(root, 'usual');
const served = new Map<string, Served>();
/** Of the change that a person approved. */
let changed: string;

/** Where screenshots are put; nowhere when it is not set. */
const SCREENSHOTS = process.env.SCREENSHOTS;

afterAll(async () => {
  await Promise.all([...served.values()].map(({ close }) => close()));
  rmSync(root, { recursive: true });
});

beforeAll(async () => {
  mkdirSync(usual);
  writeFileSync(join(usual, 'pacekeeper.yaml'), 'automation: { mode: approve }\n');
  const run = async (args: readonly string[], env: Readonly<Record<string, string>> = ENV) => {
    const { code, stdout, stderr } = await runCli(args, { cwd: usual, env });
    expect(code, stderr).toBe(0);
    return stdout;
  };
  for (const inputs of ['queries', 'rules']) cpSync(inputs, join(usual, inputs), { recursive: true });
  await run(['report'], { PACEKEEPER_NOW: '2026-11-19T12:00:00Z' });
  await run(['report']);
  const listed = JSON.parse(await run(['budgets', 'list', '--format', 'json'])) as {
    readonly proposals: readonly { readonly code: string; readonly customer_id: string; readonly budget_id: string }[];
  };
  const [first] = listed.proposals;
  if (first === undefined) throw new Error('Expected a proposal.');
  await run(['budgets', 'approve', first.code, '--by', 'anna']);
  changed = `/budgets/${first.customer_id}/${first.budget_id}`;
  const hostile = join(root, 'hostile');
  await fillHostileState(join(hostile, 'data', 'state.sqlite'));
  served.set('usual', await serveFolder(usual, ENV, 'approver'));
  served.set('hostile', await serveFolder(hostile, ENV, 'approver'));
});

const MANY_COLUMNS = 'SELECT * FROM budget_intent';

function pagesOf(name: string): readonly string[] {
  const everywhere = ['/', '/inbox', '/budgets', '/alerts', '/coverage', '/runs'];
  if (name === 'hostile') {
    const own = [`/accounts/${HOSTILE_CUSTOMER}`, `/budgets/${HOSTILE_CUSTOMER}/${HOSTILE_BUDGET}`, '/runs/60'];
    return [...everywhere, ...own];
  }
  return [
    ...everywhere,
    '/?from=2026-11-01&to=2026-11-15',
    '/accounts/4081725530',
    changed,
    '/coverage?query=keyword_stats&customer=4081725530',
    '/runs/2',
    '/explore',
    `/explore?${new URLSearchParams({ sql: MANY_COLUMNS })}`,
  ];
}

/** Runs in the page. Says which parts of tables nobody can see, after all folds are open. */
function hiddenParts(): string[] {
  const found: string[] = [];
  const hasPlace = (one: Element) => one.checkVisibility() && one.getBoundingClientRect().height > 4;
  for (const details of document.querySelectorAll('details')) details.open = true;
  for (const table of document.querySelectorAll('table')) {
    const about = table.caption?.textContent ?? '';
    const frame = (table.closest('.scroll') ?? table).getBoundingClientRect();
    const right = Math.min(frame.right, document.documentElement.clientWidth);
    for (const one of table.querySelectorAll('*')) {
      const box = one.getBoundingClientRect();
      if (box.width > 0 && (box.left < frame.left - 1 || box.right > right + 1)) {
        found.push(`${about}: ${one.tagName} "${one.textContent}" is at ${box.left} to ${box.right} of ${right}`);
      }
    }
    const heads = [...table.querySelectorAll('thead th')];
    for (const row of table.querySelectorAll('tbody tr, tfoot tr')) {
      for (const [index, cell] of [...row.children].entries()) {
        const title = heads[index]?.textContent ?? '';
        const text = cell.textContent ?? '';
        const isEmpty = ['', '–'].includes(text) && cell.children.length === 0;
        if (!hasPlace(cell) && !isEmpty) found.push(`${about}: ${title} "${text}" has no place`);
        const label = getComputedStyle(cell, '::before').content;
        const isNamed = index === 0 || (heads[index] !== undefined && hasPlace(heads[index])) || label.includes(title);
        if (!isNamed && !isEmpty) found.push(`${about}: "${text}" lacks its name ${title}, has ${label}`);
      }
    }
  }
  return found.slice(0, 20);
}

async function atEachWidth(page: Page, look: (width: number) => Promise<void>): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await look(width);
  }
}

async function expectNothingHidden(page: Page, path: string): Promise<void> {
  await atEachWidth(page, async (width) => {
    expect([path, width, await page.evaluate(hiddenParts)]).toEqual([path, width, []]);
    expect([path, width, await overflowOf(page)]).toEqual([path, width, 0]);
  });
}

async function expectInView(link: Locator, width: number): Promise<void> {
  await link.scrollIntoViewIfNeeded();
  expect(await link.isVisible()).toBe(true);
  const box = await link.boundingBox();
  expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
}

describe(`at widths of ${WIDTHS.join(', ')}, no page has hidden columns`, () => {
  it.each(['usual', 'hostile'])('(%s)', async (name) => {
    const { address, token } = served.get(name) as Served;
    const { page, close } = await visit(address);
    await logIn(page, address, token);
    for (const path of pagesOf(name)) {
      await page.goto(address + path);
      if (SCREENSHOTS) {
        await atEachWidth(page, async (width) => {
          const file = `${name}${path.replaceAll(/[^\w]+/g, '_').slice(0, 40)}-${width}.png`;
          await page.screenshot({ path: join(SCREENSHOTS, file), fullPage: true });
        });
      }
      await expectNothingHidden(page, path);
    }
    await close();
  });

  it('(acts)', async () => {
    const { address, token } = served.get('usual') as Served;
    const { page, close } = await visit(address);
    await logIn(page, address, token);
    await page.goto(`${address}/inbox`);
    await atEachWidth(page, async (width) => {
      for (const name of [/^Approve \w+/, /^Reject \w+/]) {
        await expectInView(page.getByRole('button', { name }).first(), width);
      }
      await expectInView(page.getByRole('link', { name: /^Undo B\d+$/ }).first(), width);
    });
    await page.goto(address + changed);
    await atEachWidth(page, (width) => expectInView(page.getByRole('link', { name: 'Undo' }).first(), width));
    await close();
  });

  it('(the report that is a file)', async () => {
    const { href } = pathToFileURL(join(usual, 'data/report.html'));
    const { page, close } = await visit(href);
    await page.goto(href);
    await expectNothingHidden(page, 'report.html');
    await close();
  });
});
