import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/read-settings.ts';
import { statusPage } from '../../src/dashboard/status/status-page.ts';
import { daysBetween } from '../../src/domain/civil-date.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { fakeClock } from '../support/fake-time.ts';
import { htmlFindings } from '../support/html-findings.ts';
import { namedTable, tableOf } from '../support/page-tables.ts';
import { writeFolder } from '../support/world.ts';

const NOW = '2026-11-20T12:00:00Z';
/** The newest day that is complete for conversions. */
const CONVERTED = '2026-11-12';
const ACCOUNT = '4081725530';

let file: Database.Database;
let page: (path: string, query?: string) => Promise<string>;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
  writeFolder(folder, 'queries', {});
  for (const name of ['campaign', 'campaign_budget', 'campaign_spend']) {
    cpSync(`queries/${name}.sql`, join(folder, 'queries', `${name}.sql`));
  }
  writeFolder(folder, 'rules', {});
  writeFileSync(join(folder, 'pacekeeper.yaml'), '');
  for (const now of ['2025-11-20T12:00:00Z', NOW]) {
    const { code, stderr } = await runInProcess(['report'], { folder, env: { PACEKEEPER_NOW: now } });
    expect(code, stderr).toBe(0);
  }
  const settings = await readSettings(folder, {}, {});
  page = async (path, query = '') =>
    (await statusPage({ settings, clock: fakeClock(NOW) }, { path, query, role: 'viewer' })).html;
  file = new Database(join(folder, 'data', 'warehouse.sqlite'), { readonly: true });
  return () => {
    file.close();
    rmSync(folder, { recursive: true, force: true });
  };
});

interface Days {
  readonly from: string;
  readonly to: string;
}

interface Sums {
  readonly name: string;
  readonly currency: string;
  readonly cost: bigint;
  readonly clicks: bigint;
  readonly conversions: number;
}

/** Sums of complete days by account, or by campaign of one account. */
function sums({ from, to }: Days, by: 'account' | 'campaign' | 'date' = 'account'): ReadonlyMap<string, Sums> {
  const name = {
    account: 'account.name',
    campaign: '(SELECT campaign_name FROM dim_campaign AS d WHERE d.campaign_id = rows.campaign_id)',
    date: 'rows.date',
  }[by];
  const rows = file
    .prepare<[string, string], Sums>(
      `SELECT ${name} AS name, account.currency, sum(cost_micros) AS cost, sum(clicks) AS clicks, sum(conversions) AS conversions
      FROM campaign_spend_by_day AS rows JOIN account USING (customer_id) JOIN account_day AS day
        ON day.query = 'campaign_spend' AND day.state = 'settled' AND day.customer_id = rows.customer_id AND day.date = rows.date
      WHERE rows.date BETWEEN ? AND ? ${by === 'account' ? '' : `AND rows.customer_id = ${ACCOUNT}`} GROUP BY 1`,
    )
    .safeIntegers()
    .all(from, to);
  return new Map(rows.map((row) => [row.name, row]));
}

function money(micros: bigint, currency: string): string {
  const digits = currency === 'JPY' ? 0 : 2;
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `${(Number(micros) / 1e6).toLocaleString('en-US', options)} ${currency}`;
}

function percent(now: number, then: number): string {
  const words = Math.abs(now / then - 1).toLocaleString('en-US', { style: 'percent', maximumFractionDigits: 0 });
  return `${words === '0%' ? '' : now > then ? '+' : '−'}${words}`;
}

const lengthOf = ({ from, to }: Days) => daysBetween(civilDate(from), civilDate(to)) + 1;
const rangeOf = ({ from, to }: Days) => `from=${from}&to=${to}`;
const comparedWith = ({ from, to }: Days) => `compare_from=${from}&compare_to=${to}`;

const RANGE = { from: '2026-10-26', to: '2026-11-04' };

describe('a compared range', () => {
  it.each<[string, Days, string, Days]>([
    ['of the period before', RANGE, 'compare=previous', { from: '2026-10-16', to: '2026-10-25' }],
    ['of the year before', RANGE, 'compare=year', { from: '2025-10-26', to: '2025-11-04' }],
    [
      'that somebody chose',
      RANGE,
      comparedWith({ from: '2025-10-20', to: '2025-10-29' }),
      { from: '2025-10-20', to: '2025-10-29' },
    ],
    [
      'in the wrong order',
      RANGE,
      comparedWith({ from: '2025-10-29', to: '2025-10-20' }),
      { from: '2025-10-20', to: '2025-10-29' },
    ],
    [
      'that overlaps',
      RANGE,
      comparedWith({ from: '2026-10-20', to: '2026-10-29' }),
      { from: '2026-10-20', to: '2026-10-29' },
    ],
    [
      'of another length',
      RANGE,
      comparedWith({ from: '2025-10-18', to: '2025-11-11' }),
      { from: '2025-10-18', to: '2025-11-11' },
    ],
  ])('%s has the sums of SQL for accounts, campaigns, days and budgets', async (_, range, compare, against) => {
    const html = await page('/', `${rangeOf(range)}&${compare}`);
    const { rows, notes } = namedTable(html, /^Figures by account/);
    const now = sums(range);
    const before = sums(against);
    const ratio = lengthOf(range) / lengthOf(against);
    const sides = (text: string) =>
      ratio === 1 ? `from ${text}` : `per day, from ${text} in ${lengthOf(against)} days`;
    expect(rows.length).toBe(4);
    for (const [at, row] of rows.entries()) {
      const own = now.get(row.Account ?? '');
      const then = before.get(row.Account ?? '');
      if (!own || !then) throw new Error(`${row.Account} is missing`);
      expect(row).toMatchObject({
        'Change of spend': percent(Number(own.cost), Number(then.cost) * ratio),
        'Change of clicks': percent(Number(own.clicks), Number(then.clicks) * ratio),
        'Change of conversions': percent(own.conversions, then.conversions * ratio),
        'Change of CPA': percent(Number(own.cost) / own.conversions, Number(then.cost) / then.conversions),
      });
      expect(notes[at]?.['Change of spend']).toBe(sides(money(then.cost, then.currency)));
      expect(notes[at]?.['Change of clicks']).toBe(sides(then.clicks.toLocaleString('en-US')));
    }
    const account = await page(`/accounts/${ACCOUNT}`, `${rangeOf(range)}&${compare}`);
    const ofCampaigns = namedTable(account, /^Campaigns with most/);
    const campaigns = sums(range, 'campaign');
    const campaignsBefore = sums(against, 'campaign');
    expect(ofCampaigns.rows.length).toBeGreaterThan(5);
    for (const [at, row] of ofCampaigns.rows.entries()) {
      const own = campaigns.get(row.Campaign ?? '');
      const then = campaignsBefore.get(row.Campaign ?? '');
      if (!own || !then) throw new Error(`${row.Campaign} is missing`);
      const change = percent(Number(own.cost), Number(then.cost) * ratio);
      expect(ofCampaigns.notes[at]?.Spend).toBe(`${change} ${sides(money(then.cost, 'EUR'))}`);
    }
    const days = tableOf(account, /^Spend per day/);
    const daysBefore = sums(against, 'date');
    expect(days.map((row) => row['Compared spend'])).toEqual(
      days.map((row) => money(daysBefore.get(row['Compared day'] ?? '')?.cost ?? 0n, 'EUR')),
    );
    expect(days[0]?.['Compared day']).toBe(against.from);
    const tip = /data-tip="([^"]*)"/.exec(account)?.[1];
    expect(tip).toContain(`${money(daysBefore.get(against.from)?.cost ?? 0n, 'EUR')} on `);
    expect(tip).toContain(against.from.slice(0, 4));
    const budgets = namedTable(
      await page('/budgets', `customer=${ACCOUNT}&${rangeOf(range)}&${compare}`),
      /^\d+ budgets/,
    );
    const shown = budgets.rows.flatMap((row, at) => {
      const own = campaigns.get(row.Budget ?? '');
      const then = campaignsBefore.get(row.Budget ?? '');
      return own && then ? [{ row, note: budgets.notes[at], own, then }] : [];
    });
    expect(shown.length).toBeGreaterThan(3);
    for (const { row, note, own, then } of shown) {
      expect(row['Change of spend']).toBe(percent(Number(own.cost), Number(then.cost) * ratio));
      expect(note?.['Change of spend']).toBe(sides(money(then.cost, 'EUR')));
    }
  });

  it('of a campaign has the sums of SQL, and an equally long range is cut with a range that is not complete', async () => {
    const [campaign] = file
      .prepare<[], { id: bigint; name: string }>(
        `SELECT campaign_id AS id, campaign_name AS name FROM dim_campaign WHERE customer_id = ${ACCOUNT} AND campaign_name LIKE '%Zelte%'`,
      )
      .safeIntegers()
      .all();
    const query = `from=2026-11-10&to=2026-11-30&campaign=${campaign?.id}&${comparedWith({ from: '2025-10-20', to: '2025-11-09' })}`;
    const { rows, notes } = namedTable(await page('/', query), /^Figures by account/);
    const own = sums({ from: '2026-11-10', to: '2026-11-19' }, 'campaign').get(campaign?.name ?? '');
    const then = sums({ from: '2025-10-20', to: '2025-10-29' }, 'campaign').get(campaign?.name ?? '');
    expect(rows).toMatchObject([{ 'Change of spend': percent(Number(own?.cost), Number(then?.cost)) }]);
    expect(notes[0]?.['Change of spend']).toBe(
      `from ${money(then?.cost ?? 0n, 'EUR')}, 10 of 21 days, against as many before`,
    );
  });

  it('without its first days is not compared, and the page says which days are missing', async () => {
    const html = await page(
      `/accounts/${ACCOUNT}`,
      `${rangeOf(RANGE)}&${comparedWith({ from: '2019-01-01', to: '2019-01-10' })}`,
    );
    expect(html).toMatch(
      /Not compared\. Alpenkontor Outdoor GmbH: 0 of 10 compared days complete, data since 2025-\d\d-\d\d\./,
    );
    expect(Object.keys(tableOf(html, /^Figures by account/)[0] ?? {})).not.toContain('Change of spend');
    expect(html).not.toContain('Dashed');
    const budgets = await page(
      '/budgets',
      `customer=${ACCOUNT}&${rangeOf(RANGE)}&${comparedWith({ from: '2019-01-01', to: '2019-01-10' })}`,
    );
    expect(budgets).toMatch(/Not compared: \d+ budgets of this page, because days are missing\./);
  });

  it('whose conversions are still arriving has no change of conversions, and the page says so', async () => {
    const against = { from: '2026-11-06', to: '2026-11-15' };
    const html = await page(`/accounts/${ACCOUNT}`, `${rangeOf(RANGE)}&${comparedWith(against)}`);
    const [row] = tableOf(html, /^Figures by account/);
    expect(row?.['Change of spend']).toMatch(/%$/);
    expect(row?.['Change of conversions']).toBeUndefined();
    const young = lengthOf({ from: CONVERTED, to: against.to }) - 1;
    expect(html).toContain(`Too early to compare conversions. Those of ${young} compared days are still arriving.`);
  });

  it.each([
    ['nothing', '', 'against the equally long time before'],
    ['no comparison', 'compare=none', 'Nothing is compared.'],
    [
      'the year before',
      'compare=year',
      'against 2025-10-26 to 2025-11-04, if all days of both are complete. The dates are the same, the weekdays are not.',
    ],
    ['ten days of which four overlap', comparedWith({ from: '2026-10-20', to: '2026-10-29' }), ' 4 days in both.'],
    [
      '25 days',
      comparedWith({ from: '2025-10-18', to: '2025-11-11' }),
      '10 days against 25: sums are compared as averages per day.',
    ],
    ['all of history', comparedWith({ from: '0001-01-01', to: '9999-12-31' }), '10 days against 3652059'],
    [
      'markup',
      'compare=%3Cscript%3Ealert(1)%3C/script%3E',
      'Ignored: <bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi>',
    ],
    ['one day only', 'compare_from=2026-10-01', 'A comparison with chosen days needs the first and the last day.'],
  ])('is named in words for %s', async (_, compare, words) => {
    const html = await page('/', `${rangeOf(RANGE)}&${compare}`);
    expect(html).toContain(words);
    expect(await htmlFindings(html)).toEqual([]);
    expect(html.length).toBeLessThan(1_000_000);
  });

  it('stays in the links to other pages and days, until somebody shows all', async () => {
    const compare = comparedWith({ from: '2025-10-18', to: '2025-11-11' });
    for (const path of ['/', `/accounts/${ACCOUNT}`, '/budgets', '/runs']) {
      const html = await page(path, `${rangeOf(RANGE)}&${compare}`);
      const links = [...html.matchAll(/href="([^"#]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
      for (const target of ['budgets?', 'runs?', 'coverage?']) {
        expect(links.filter((href) => href.includes(target)).some((href) => href.includes(compare))).toBe(true);
      }
      if (path !== '/runs')
        expect(links.some((href) => href.includes('from=2026-10-16') && href.includes(compare))).toBe(true);
    }
    // A page without comparisons keeps the choice in its form.
    const form = /<form method="get"[\s\S]*?<\/form>/.exec(await page('/coverage', compare))?.[0];
    expect(form).toContain('<input type="hidden" name="compare_from" value="2025-10-18">');
  });

  it('that nobody chose changes no page', async () => {
    const usual = await page('/', rangeOf(RANGE));
    expect(usual).not.toMatch(/Dashed|compared days|class="note">from /);
    expect(await page('/', 'compare=year')).toContain('Figures: 2026-10-23 to 2026-11-19');
    expect(await page('/')).not.toContain('Figures: ');
  });
});
