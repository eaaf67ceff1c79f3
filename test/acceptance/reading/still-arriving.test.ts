import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config/read-settings.ts';
import { statusPage } from '../../../src/dashboard/status/status-page.ts';
import { addDays, daysBetween, daysOf } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { accountNumber, accountsService } from '../../support/accounts-service.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { writeFolder } from '../../support/world.ts';

const QUERY = `SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, metrics.conversions,
  metrics.conversions_value, segments.date FROM campaign WHERE segments.date DURING LAST_30_DAYS`;
const TODAY = '2026-11-20';
const NOW = `${TODAY}T12:00:00Z`;
/** A day gets 10 conversions: 4 by the next day, 6 by the second, all by the fourth. */
const LATE = (age: number) => (age >= 4 ? 10 : age >= 2 ? 6 : 4);

interface History {
  /** The day of the first run. Each day until today has one. */
  readonly since: string;
  /** By account: conversions of a day, by its age in days. */
  readonly conversions?: readonly ((age: number) => number)[];
  readonly config?: string;
  readonly query?: string;
}

/** Accounts with a cost of 20 a day, read day after day. */
async function read({ since, conversions = [LATE], config = '', query = QUERY }: History) {
  const folder = tempDir();
  let today = civilDate(since);
  const { env: service } = await accountsService({
    accounts: conversions.length,
    onStream: (customer, _response, end) => {
      const days = daysOf({ from: addDays(today, -30), to: addDays(today, -1) });
      const many = conversions.findIndex((_, index) => accountNumber(index) === customer);
      const rows = days.map((date) => {
        const found = conversions[many]?.(daysBetween(date, today)) ?? 0;
        const results = query === QUERY && { conversions: found, conversionsValue: 4 * found };
        const metrics = { clicks: '5', costMicros: '20000000', ...results };
        return { campaign: { id: '1', name: 'C' }, metrics, segments: { date } };
      });
      end(rows);
    },
  });
  writeFolder(folder, 'queries', { 'stats.sql': query });
  writeFolder(folder, 'rules', {});
  writeFileSync(join(folder, 'pacekeeper.yaml'), config);
  const env = () => ({ ...service, PACEKEEPER_NOW: `${today}T12:00:00Z` });
  for (; today < TODAY; today = addDays(today, 1)) {
    expect((await runInProcess(['extract'], { folder, env: env() })).code).toBe(0);
  }
  const { stdout } = await runInProcess(['report', '--format', 'json'], { folder, env: env() });
  const text = async (account: number, ...args: string[]) => {
    const command = ['report', '--no-extract', '--customer', accountNumber(account), ...args];
    return (await runInProcess(command, { folder, env: env(), columns: 140 })).stdout.replaceAll(/\s+/g, ' ');
  };
  const settings = await readSettings(folder, {}, env());
  const page = async (path: string, days: string) => {
    const { html } = await statusPage({ settings, clock: fakeClock(NOW) }, { path, query: days, role: 'viewer' });
    return html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  };
  const value = JSON.parse(stdout);
  const ofAccount = (index: number, rows: readonly { customer_id: string }[]) =>
    rows.filter(({ customer_id: id }) => id === accountNumber(index));
  return {
    totals: (index: number) => ofAccount(index, value.totals),
    months: (index: number) => ofAccount(index, value.months),
    text,
    page,
  };
}

const ONE = `customer=${accountNumber(0)}`;
const WEEK = `${ONE}&from=2026-11-13&to=2026-11-19`;

describe('conversions that are still arriving', () => {
  it('are left out of CPA, ROAS and changes everywhere, with how many more are usual', async () => {
    const corrected = (age: number) => (age >= 3 ? 7 : 10);
    const { totals, months, text, page } = await read({ since: '2026-10-14', conversions: [LATE, corrected, () => 0] });
    const [total, campaign] = totals(0);
    // 23 complete days with 10 each. The younger ones have 10, 10, 10, 10, 6, 6 and 4.
    const arriving = { conversions_until: '2026-11-12', conversions_arriving: 56, conversions_to_come: 14 };
    expect(total).toMatchObject({ conversions: 286, cpa: 2, roas: 2, ...arriving });
    expect(campaign).toMatchObject({ campaign_id: 1, conversions: 286, cpa: 2, roas: 2 });
    // The month until 19 November.
    expect(months(0)).toMatchObject([{ conversions: 176, cpa_micros: 2_000_000, ...arriving }]);

    const words =
      'Conversions are complete until 2026-11-12. CPA, ROAS and changes of conversions end there. Still arriving: the 7 younger days have 56 so far; about 14 more are usual (from 31 days read again).';
    expect(await text(0)).toContain(words);
    expect(await text(0, '--verbose')).toContain(words);
    // 13 November and later: nothing is complete, so nothing is compared, and nothing has fallen.
    const week = await page('/', WEEK);
    expect(week).toContain('On days still arriving');
    expect(week).toContain('about 14 more are usual');
    expect(week).not.toMatch(/−\d+%/);
    expect(await page('/', `${ONE}&from=2026-11-06&to=2026-11-19`)).toContain(words);
    expect(await page(`/accounts/${accountNumber(0)}`, '')).toContain(words);

    // The service may take some back, and an account may have none.
    expect(totals(1)[0]).toMatchObject({ conversions_arriving: 55, conversions_to_come: -6 });
    expect(await text(1)).toContain('about 6 fewer are usual');
    expect(totals(2)[0]).toMatchObject({
      conversions: 0,
      conversions_arriving: 0,
      conversions_to_come: 0,
      cpa: null,
      roas: 0,
    });
    expect(await text(2)).toContain('have 0 so far; no more are usual');
  });

  it('are said by the settings alone in the first weeks, when no day was read again', async () => {
    const { totals, text } = await read({ since: TODAY });
    expect(totals(0)[0]).toMatchObject({
      conversions_until: '2026-11-12',
      conversions_arriving: 56,
      conversions_to_come: null,
      cpa: 2,
    });
    expect(await text(0)).toContain(
      'Still arriving: the 7 younger days have 56 so far; more come for 7 days (by the settings).',
    );
  });

  it('follow the window of the account', async () => {
    const config = `accounts: { ${accountNumber(0)}: { conversion_window: 2 } }\n`;
    const { totals } = await read({ since: TODAY, config });
    // Of the days until the 17th, the youngest has 6, and the next 10.
    expect(totals(0)[0]).toMatchObject({ conversions_until: '2026-11-17', conversions_arriving: 10, cpa: 560 / 276 });
  });

  it('are not spoken of without conversions', async () => {
    const query = QUERY.replace(/metrics\.conversions[^,]*,\s*/g, '');
    const { totals, text, page } = await read({ since: TODAY, query });
    expect(totals(0)[0]).not.toHaveProperty('conversions_until');
    expect(await text(0, '--verbose')).not.toContain('arriving');
    expect(await page('/', WEEK)).not.toContain('arriving');
  });
});
