import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong, TURN } from '../support/effort.ts';
import { fillHostileState, HOSTILE_BUDGET, HOSTILE_CUSTOMER } from '../support/hostile-state.ts';
import { runCli } from '../support/run-cli.ts';
import { NOON } from '../support/world.ts';
import { axeFindings, expectAccessible, logIn, looks, overflowOf, visit, widths, withBrowser } from './browser.ts';
import { type Served, serveFolder } from './served.ts';

withBrowser();

const ENV = { PACEKEEPER_NOW: NOON, SERVE_KIT: 'true' };
const root = mkdtempSync(join(tmpdir(), 'pacekeeper-browser-'));
afterAll(async () => {
  await Promise.all([...served.values()].map(({ close }) => close()));
  rmSync(root, { recursive: true });
});

/** One that has run on the sandbox, and one in which every name is hostile. */
const served = new Map<string, Served>();
/** Where screenshots are put; nowhere when it is not set. */
const SCREENSHOTS = process.env.SCREENSHOTS;

beforeAll(async () => {
  const usual = join(root, 'usual');
  mkdirSync(usual);
  writeFileSync(join(usual, 'pacekeeper.yaml'), 'automation: { mode: approve }\n');
  const inputs = ['--queries', `${process.cwd()}/queries`, '--rules', `${process.cwd()}/rules`];
  const { code, stderr } = await runCli(['report', ...inputs], {
    cwd: usual,
    env: { PACEKEEPER_NOW: '2026-11-19T12:00:00Z' },
  });
  expect(stderr, stderr).toContain('rows');
  expect(code).toBe(0);
  expect((await runCli(['report', ...inputs], { cwd: usual, env: ENV })).code).toBe(0);
  served.set('usual', await serveFolder(usual, ENV));
  const hostile = join(root, 'hostile');
  await fillHostileState(join(hostile, 'data', 'state.sqlite'));
  served.set('hostile', await serveFolder(hostile, ENV));
});

function of(name: string): Served {
  const found = served.get(name);
  if (found === undefined) throw new Error(`Nobody serves ${name}.`);
  return found;
}

const PAGES: Readonly<Record<string, readonly string[]>> = {
  usual: [
    '/',
    '/?from=2026-11-01&to=2026-11-15',
    '/?from=2026-11-01&to=2026-11-10&compare_from=2026-10-20&compare_to=2026-10-26',
    '/inbox',
    '/accounts/4081725530',
    '/budgets',
    '/campaigns/4081725530/17204209458',
    '/campaigns/4081725530/17204942561',
    '/rules',
    '/rules/cut-without-conversions',
    '/rules/month-pacing?backtest=28',
    '/alerts',
    '/coverage',
    '/runs',
    '/runs/2',
    '/runs/77',
    '/explore',
    '/search?q=trail',
    '/kit',
  ],
  hostile: [
    '/',
    '/inbox',
    '/budgets',
    `/budgets/${HOSTILE_CUSTOMER}/${HOSTILE_BUDGET}`,
    `/campaigns/${HOSTILE_CUSTOMER}/21`,
    '/alerts',
    '/coverage',
    '/runs',
    '/runs/60',
    `/accounts/${HOSTILE_CUSTOMER}`,
    '/explore',
  ],
};

describe.each(Object.keys(PAGES))('the status page of a folder that is %s', (name) => {
  it.each(widths())(
    'is complete without JavaScript at a width of %i, and loads nothing from elsewhere',
    async (width) => {
      const { address, token } = of(name);
      const { page, elsewhere, complaints, close } = await visit(address, { viewport: { width, height: 900 } });
      await logIn(page, address, token);
      for (const path of PAGES[name] ?? []) {
        await page.goto(address + path);
        expect([path, await overflowOf(page)]).toEqual([path, 0]);
        await expectAccessible(page);
        if (SCREENSHOTS) {
          const file = `${name}${path.replaceAll('/', '_')}-${width}.png`;
          await page.screenshot({ path: join(SCREENSHOTS, file), fullPage: true });
        }
      }
      // That a page is not there is told by its status, which the console repeats.
      expect(complaints.filter((text) => !/status of 40[14]/.test(text))).toEqual([]);
      expect(elsewhere).toEqual([]);
      await close();
    },
  );

  it.each([...looks().entries()])('has nothing that axe finds (look %i: %o)', async (at, { width, colorScheme }) => {
    const { address, token } = of(name);
    const options = { viewport: { width, height: 900 }, colorScheme, javaScriptEnabled: true, bypassCSP: true };
    const { page, close } = await visit(address, options);
    await logIn(page, address, token);
    // Each page in one look, in the other with another commit.
    const inThisLook = (_: string, index: number) => isLong || (index + at + TURN) % 2 === 0;
    for (const path of (PAGES[name] ?? []).filter(inThisLook)) {
      await page.goto(address + path);
      expect([path, await axeFindings(page)]).toEqual([path, []]);
    }
    await close();
  });

  it('runs no script from a name, even with JavaScript', async () => {
    const { address, token } = of(name);
    const { page, elsewhere, complaints, close } = await visit(address, { javaScriptEnabled: true });
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await logIn(page, address, token);
    for (const path of PAGES[name] ?? []) await page.goto(address + path);
    expect(dialogs).toEqual([]);
    expect(complaints.filter((text) => !/status of 40[14]/.test(text))).toEqual([]);
    expect(elsewhere).toEqual([]);
    await close();
  });
});

describe('the status page', () => {
  it.each([375, 1400])('takes a comparison by keyboard, without JavaScript, at a width of %i', async (width) => {
    const { address, token } = of('usual');
    const { page, close } = await visit(address, { viewport: { width, height: 900 } });
    await logIn(page, address, token);
    await page.goto(`${address}/?from=2026-11-01&to=2026-11-10`);
    const days = page.getByLabel('First compared day');
    await page.locator('.filter > summary').focus();
    await page.keyboard.press('Enter');
    expect(await days.isVisible()).toBe(false);
    const choice = page.getByLabel('Compare with');
    await choice.focus();
    await page.keyboard.type('Chosen');
    expect(await days.isVisible()).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.type('10202026');
    expect(await days.inputValue()).toBe('2026-10-20');
    await page.getByLabel('Last compared day').focus();
    await page.keyboard.type('10262026');
    await page.getByRole('button', { name: 'Show', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('10 days against 7: sums are compared as averages per day.').waitFor();
    expect(await page.getByText('Compared days').first().isVisible()).toBe(true);
    expect(await overflowOf(page)).toBe(0);
    for (const { height } of [await choice.boundingBox()].flatMap((box) => box ?? [])) {
      if (width < 700) expect(height).toBeGreaterThanOrEqual(44);
    }
    await close();
  });

  it('works by keyboard: past the navigation, through it, and out', async () => {
    const { address, token } = of('usual');
    const { page, close } = await visit(address);
    await page.goto(`${address}/runs`);
    // The field has the focus; a browser gives it a moment after the page is there.
    await page.locator('input:focus').waitFor();
    await page.keyboard.type(token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    expect(new URL(page.url()).pathname, 'the page that was asked for').toBe('/runs');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to content');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toMatch(/^All accounts/);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toMatch(/^Inbox/);
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
    await page.goto(`${address}/runs`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Log in');
    await close();
  });

  it('links from the overview to every page, and nowhere else', async () => {
    const { address, token } = of('usual');
    const { page, close } = await visit(address);
    await logIn(page, address, token);
    const open = [`${address}/`];
    const seen = new Set<string>();
    const kinds = new Set<string>();
    while (open.length > 0) {
      const url = open.shift() ?? '';
      const { pathname, searchParams } = new URL(url);
      // One link of each kind: ids and values of queries differ, the page does not.
      const kind = `${pathname.replaceAll(/\d+/g, 'N').replace(/^\/rules\/.+/, '/rules/NAME')}?${[...searchParams.keys()]}`;
      // A download is no page.
      if (kinds.has(kind) || searchParams.has('format')) continue;
      kinds.add(kind);
      seen.add(url);
      const answer = await page.goto(url);
      expect([url, answer?.status()]).toEqual([url, 200]);
      const links = (await page.evaluate('[...document.links].map(({ href }) => href.split("#")[0])')) as string[];
      for (const link of links) expect(link.startsWith(address), link).toBe(true);
      open.push(...links);
    }
    const paths = [...seen].map((url) => new URL(url).pathname);
    expect(paths).toEqual(
      expect.arrayContaining(['/', '/inbox', '/budgets', '/alerts', '/coverage', '/runs', '/explore']),
    );
    for (const one of [/^\/budgets\/\d+\/\d+$/, /^\/accounts\/\d+$/, /^\/runs\/\d+$/]) {
      expect(paths.some((path) => one.test(path))).toBe(true);
    }
    await close();
  });

  it('reports an invalid token and refuses the login', async () => {
    const { address } = of('usual');
    const { page, close } = await visit(address);
    await page.goto(`${address}/coverage`);
    await page.getByLabel('Token').fill('pk_wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    expect(await page.getByRole('alert').textContent()).toBe('Invalid token.');
    expect(await page.content()).not.toContain('pk_wrong');
    await close();
  });

  it('is dark if the reader’s system is, and still readable', async () => {
    const { address, token } = of('hostile');
    const { page, close } = await visit(address, { colorScheme: 'dark', viewport: { width: 800, height: 900 } });
    await logIn(page, address, token);
    const styles = '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]';
    const colours = ((await page.evaluate(styles)) as string[]).map((text) => Number(/\d+/.exec(text)?.[0]));
    expect(colours[0]).toBeLessThan(60);
    expect(colours[1]).toBeGreaterThan(200);
    if (SCREENSHOTS) {
      for (const path of PAGES.hostile ?? []) {
        await page.goto(address + path);
        await page.screenshot({ path: join(SCREENSHOTS, `dark${path.replaceAll('/', '_')}.png`), fullPage: true });
      }
    }
    await close();
  });

  it('cannot be framed', async () => {
    const { address } = of('usual');
    const framing = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end(`<iframe src="${address}/login"></iframe>`);
    }).listen(0, '127.0.0.1');
    await once(framing, 'listening');
    const { page, complaints, close } = await visit('http://127.0.0.1:', { javaScriptEnabled: true });
    await page.goto(`http://127.0.0.1:${(framing.address() as AddressInfo).port}/`);
    await page.waitForLoadState('networkidle');
    framing.close();
    expect(await page.frames().at(-1)?.getByLabel('Token').count()).toBe(0);
    expect(complaints.join()).toMatch(/frame/i);
    await close();
  });
});
