import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { settingsFrom } from '../../../src/config/read-settings.ts';
import { exploreLink } from '../../../src/dashboard/explore/explore-link.ts';
import { statusPage } from '../../../src/dashboard/status/status-page.ts';
import type { ExploredRows, ExploreRefusal } from '../../../src/storage/warehouse/explored.ts';
import { exploreFile } from '../../../src/storage/warehouse/sqlite/explore-file.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { fillHostileState } from '../../support/hostile-state.ts';
import { htmlFindings } from '../../support/html-findings.ts';
import { smallPublishedFile } from '../../support/small-published-file.ts';
import { withoutOurScript } from '../../support/without-our-script.ts';
import { NOON } from '../../support/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
afterAll(() => rmSync(folder, { recursive: true }));
await fillHostileState(join(folder, 'data', 'state.sqlite'));
smallPublishedFile(join(folder, 'data'));
const deps = { settings: settingsFrom(folder, {}, {}, ''), clock: fakeClock(NOON) };

async function page(
  sql: string,
  explored?: ExploredRows | ExploreRefusal,
  form?: string,
  choice: Readonly<Record<string, string>> = {},
): Promise<string> {
  const query = `${new URLSearchParams({ sql, ...choice })}`;
  const { html } = await statusPage(deps, { path: '/explore', query, role: 'admin', explored, form });
  expect(await htmlFindings(html)).toEqual([]);
  expect(withoutOurScript(html)).not.toMatch(/<script|<b>days/);
  return html;
}

const rowsOf = (columns: readonly string[], rows: ExploredRows['rows'], count = rows.length): ExploredRows => ({
  kind: 'rows',
  columns,
  rows,
  count,
  isWhole: true,
});

describe('the Explore page', () => {
  it('begins with examples, the dictionary, and the time of the data', async () => {
    const html = await page('');
    expect(html).toContain('2026-11-20 06:00');
    expect(html).toContain('Which budgets were changed, and why?</a>');
    expect(html).toContain('<code>cost_micros</code> <small>micros</small>');
    expect(html).toContain('Spend of &lt;b&gt;days&lt;/b&gt;.');
    expect(html).not.toContain('method="post" action="./explore"');
    // A file without tables of queries answers only questions about runs and changes.
    expect(html).not.toContain('What did each account spend per week?');
  });

  it('lists saved questions, with markup in names and sentences as text', async () => {
    const html = await page('');
    expect(html).toContain('<h2 id="saved">Saved questions</h2>');
    expect(html).toMatch(/href="\.\/explore\?question=1"><bdi[^>]*>&lt;script&gt;/);
  });

  it('has the begin of the query in its title, for the history of the browser', async () => {
    expect(await page('SELECT  date\nFROM spend')).toContain(
      '<title>SELECT date FROM spend · Explore · pacekeeper</title>',
    );
  });

  it('shows markup in the query, in columns and in values as text', async () => {
    const html = await page('</textarea><script>', rowsOf(['<script>'], [['<script>alert(1)</script>']]), 'proof');
    expect(html).toContain('&lt;/textarea&gt;&lt;script&gt;');
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).toContain('name="form" value="proof"');
  });

  it('shows exact integers, and how many rows there are', async () => {
    const rows = [[{ integer: '9007199254740993' }], [null], [{ bytes: 2 }]];
    const html = await page('SELECT 1', rowsOf(['x'], rows, 5000));
    expect(html).toContain('9007199254740993');
    expect(html).toContain('(2 bytes)');
    expect(html).toContain('5,000 rows. This page shows the first 3.');
    const more = await page('SELECT 1', { ...rowsOf(['x'], rows, 100_000), isWhole: false });
    expect(more).toContain('More than 100,000 rows. The download ends after 100,000.');
  });

  it('draws a number by its date, but no id, and no date with several rows', async () => {
    const of = (day: string) => [day, { integer: '7' }, 1.5];
    const columns = ['date', 'campaign_id', 'cost'];
    const html = await page('SELECT 1', rowsOf(columns, [of('2026-11-02'), of('2026-11-01')]));
    expect(html).toContain('<figcaption>cost by date</figcaption>');
    expect(html).toContain('From 2026-11-01 to 2026-11-02, 2 values.');
    const twice = await page('SELECT 1', rowsOf(columns, [of('2026-11-02'), of('2026-11-02')]));
    expect(twice).not.toContain('<figure>');
    expect(twice).toContain('GROUP BY date');
  });

  it('says why a query is refused', async () => {
    expect(await page('SELECT', { kind: 'refused', problems: ['near <b>'] })).toContain('<p>near &lt;b&gt;</p>');
  });

  it.each([
    [
      'column',
      'SELECT date,\n  cost_micro FROM spend',
      'Line 2, column 3',
      'Did you mean cost_micros?',
      '  cost_micro FROM spend\n  ^',
    ],
    [
      'column of an alias',
      'SELECT s.cost_micro FROM spend s',
      'Line 1, column 8',
      'Did you mean cost_micros?',
      '       ^',
    ],
    ['table', 'SELECT date FROM spent', 'Line 1, column 18', 'Did you mean spend?', '                 ^'],
  ])('says which %s was meant, and shows its place', async (_kind, sql, place, hint, caret) => {
    const found = exploreFile(join(folder, 'data', 'warehouse.sqlite'), sql);
    const html = await page(sql, found.kind === 'refused' ? found : undefined);
    for (const words of [`<p>${place}: SQLite refuses the query: no such`, `<p>${hint}</p>`, caret])
      expect(html).toContain(words);
    const [, from, to] = /data-from="(\d+)" data-to="(\d+)"/.exec(html) ?? [];
    expect(sql.slice(Number(from), Number(to))).toMatch(/^(?:s\.cost_micro|cost_micro|spent)$/);
  });

  it('is linked with the whole query', () => {
    expect(exploreLink('/runs/7', `SELECT '&"+' AS x`, 'Rows').markup).toBe(
      '<a href="../explore?sql=SELECT+%27%26%22%2B%27+AS+x">Rows</a>',
    );
  });
});
