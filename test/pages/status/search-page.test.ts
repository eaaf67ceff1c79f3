import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { settingsFrom } from '../../../src/config/read-settings.ts';
import { statusPage } from '../../../src/dashboard/status/status-page.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { htmlFindings } from '../../support/html-findings.ts';
import { runCli } from '../../support/run-cli.ts';
import { NOON } from '../../support/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  for (const part of ['queries', 'rules']) cpSync(part, join(folder, part), { recursive: true });
  const { code, stderr } = await runCli(['report'], { cwd: folder, env: { PACEKEEPER_NOW: NOON } });
  expect(code, stderr).toBe(0);
});

async function pageOf(path: string, asked?: Record<string, string>): Promise<string> {
  const deps = { settings: settingsFrom(folder, {}, {}, ''), clock: fakeClock(NOON) };
  const query = `${new URLSearchParams(asked)}`;
  const { status, html } = await statusPage(deps, { path, query, role: 'viewer' });
  expect([status, await htmlFindings(html)]).toEqual([200, []]);
  return html;
}

const found = async (q: string) => {
  const html = await pageOf('/search', { q });
  const main = html.slice(html.indexOf('<main'));
  return [...main.matchAll(/<h2>([^<]*)<\/h2>|<li><a href="([^"]*)"><bdi[^>]*>([^<]*)</g)].map(
    ([, title, href, name]) => title ?? `${name} ${href}`,
  );
};

it.each<[what: string, asked: string, results: readonly RegExp[]]>([
  [
    'an account by a part of its name',
    'thames',
    [/^Accounts$/, /^Thames Bicycle Works Ltd \.\/accounts\/\d+$/, /^Campaigns$/, /^Brand - Thames Bicycle /],
  ],
  [
    'an account by its id with dashes',
    '408-172-5530',
    [/^Accounts$/, /^Alpenkontor Outdoor GmbH \.\/accounts\/4081725530$/],
  ],
  ['a campaign', 'wandersch', [/^Campaigns$/, /^Generisch - Wanderschuhe \.\/campaigns\/4081725530\/\d+$/]],
  ['Japanese names', '手帳', [/^Campaigns$/, /^手帳 \.\/campaigns\/9264813507\/\d+$/]],
  ['a rule', 'without-conv', [/^Rules$/, /^cut-without-conversions \.\/rules\/cut-without-conversions$/]],
  ['a change by its number', 'b1', [/^Changes$/, /^Generisch - Zelte \.\/budgets\/4081725530\/\d+$/]],
])('finds %s', async (_, asked, results) => {
  const all = await found(asked);
  expect(all).toHaveLength(results.length);
  for (const [index, result] of results.entries()) expect(all[index]).toMatch(result);
});

it.each([
  ['markup', '<img src=x onerror=alert(1)>'],
  ['an id that nobody has', '999'],
  ['a pattern of SQL', '%'],
  ['a change that is not there', 'B99999999999'],
])('finds nothing for %s, and says so', async (_, asked) => {
  expect(await found(asked)).toEqual([]);
  const html = await pageOf('/search', { q: asked });
  expect(html).toContain('Nothing found.');
  expect(html).not.toContain('<img');
});

it('asks for words without a question', async () => {
  expect(await pageOf('/search')).toContain('Type a part of a name');
});

it('is on every page, beside the accounts, what needs a person, and the state of the budgets', async () => {
  for (const path of ['/', '/inbox', '/budgets', '/coverage', '/search']) {
    const html = await pageOf(path);
    const shell = html.slice(html.indexOf('<header class="shell">'), html.indexOf('</header>'));
    expect(shell).toMatch(/<summary>All accounts <small>4<\/small>[\s\S]*Alpenkontor Outdoor GmbH/);
    expect(shell).toMatch(/role="search" action="\.\/search"/);
    expect(shell).toContain('sandbox · mode apply');
    expect(shell).toContain('act=freeze');
  }
});

it('keeps the chosen days and accounts in its links to pages that take them', async () => {
  const html = await pageOf('/budgets', {
    from: '2026-11-01',
    to: '2026-11-15',
    customer: '4081725530',
    campaign: 'Zelte',
  });
  const links = [
    ...html.matchAll(
      /<li><a href="(\.\/[a-z]*)(\?[^"]*)?"[^>]*>(?:Overview|Inbox|Budgets|Alerts|Coverage|Runs|Explore)/g,
    ),
  ];
  const kept = '?from=2026-11-01&amp;to=2026-11-15&amp;customer=4081725530';
  expect(Object.fromEntries(links.map(([, page, query]) => [page, query]))).toEqual({
    './': kept,
    './inbox': undefined,
    './budgets': kept,
    './explore': undefined,
    './alerts': kept,
    './coverage': kept,
    './runs': kept,
  });
});
