import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { isDayMissing } from '../../../src/commands/schedule/catch-up.ts';
import { readSettings } from '../../../src/config/read-settings.ts';
import type { ScheduledJob, Settings } from '../../../src/config/settings.ts';
import { customerId } from '../../../src/domain/ids.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { NO_OPTIONS, NO_RETRY } from '../../support/no-options.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { toldLog } from '../../support/told-log.ts';
import { writeFolder } from '../../support/world.ts';
import { runInProcess } from '../run-in-process.ts';

const NOON = '2026-11-20T12:00:00Z';
const REPORT: ScheduledJob = {
  name: 'morning',
  cron: '30 5 * * *',
  timeZone: 'UTC',
  job: 'report',
  retry: NO_RETRY,
  options: NO_OPTIONS,
};

const QUERY = `SELECT customer.id, segments.date, campaign.id, metrics.clicks FROM campaign
WHERE segments.date DURING LAST_14_DAYS`;

let folder = '';
let settings: Settings;

const isMissing = (now: string, job: ScheduledJob = REPORT, other: Partial<Settings> = {}) =>
  isDayMissing({ ...settings, ...other }, { clock: fakeClock(now), log: toldLog() }, job);

/** The settings of a copy to which something is done that no command does. */
function copyAfter(statement: string): Pick<Settings, 'paths'> {
  const data = tempDir();
  const file = new Database(join(folder, 'data', 'state.sqlite'));
  file.prepare('VACUUM INTO ?').run(join(data, 'state.sqlite'));
  file.close();
  const copy = new Database(join(data, 'state.sqlite'));
  copy.exec(statement);
  copy.close();
  return { paths: { ...settings.paths, data } };
}

describe('a late job', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
    for (const name of ['data', 'rules']) mkdirSync(join(folder, name));
    writeFolder(folder, 'queries', { 'clicks.sql': QUERY });
    settings = await readSettings(folder, {}, {});
    expect(await isMissing(NOON)).toBe(true);
    const { code, stderr } = await runInProcess(['extract'], { folder, env: { PACEKEEPER_NOW: NOON } });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return () => rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['no: all days were read', '2026-11-20T12:05:00Z', false],
    ['no: no account’s day has become complete since', '2026-11-20T14:00:00Z', false],
    ['yes: a day has become complete', '2026-11-21T12:00:00Z', true],
    ['yes: after weeks', '2026-12-31T12:00:00Z', true],
  ])('has days to read, or not: %s', async (_, now, missing) => {
    expect(await isMissing(now)).toBe(missing);
  });

  it('has days to read after a gap, or if a day was read before it was complete', async () => {
    for (const statement of ['DELETE FROM account_day', "UPDATE account_day SET state = 'provisional'"]) {
      const copy = copyAfter(`${statement} WHERE date = '2026-11-10'`);
      expect(await isMissing(NOON, REPORT, copy)).toBe(true);
    }
  });

  it('knows a query by either ending of its file', async () => {
    const copy = copyAfter("DELETE FROM account_day WHERE date = '2026-11-10'");
    const queries = tempDir();
    const paths = { ...settings.paths, ...copy.paths, queries };
    expect(await isMissing(NOON, REPORT, { paths })).toBe(false);
    writeFileSync(join(queries, 'clicks.gaql'), QUERY);
    expect(await isMissing(NOON, REPORT, { paths })).toBe(true);
  });

  it('ignores a gap of an account or query that the job does not read', async () => {
    const id = customerId('4081725530');
    const copy = copyAfter(`DELETE FROM account_day WHERE date = '2026-11-10' AND customer_id = ${id}`);
    expect(await isMissing(NOON, REPORT, copy)).toBe(true);
    const others = [customerId('6193047821')];
    expect(await isMissing(NOON, { ...REPORT, options: { ...NO_OPTIONS, customer: others } }, copy)).toBe(false);
    expect(await isMissing(NOON, { ...REPORT, options: { ...NO_OPTIONS, query: ['another'] } }, copy)).toBe(false);
    expect(await isMissing(NOON, REPORT, { ...copy, ads: { ...settings.ads, excludeCustomerIds: [id] } })).toBe(false);
    const paths = { ...copy.paths, queries: join(folder, 'nowhere') };
    expect(await isMissing(NOON, REPORT, { paths })).toBe(false);
  });

  it('ignores a gap of an inactive account', async () => {
    const copy = copyAfter(`DELETE FROM account_day WHERE date = '2026-11-10' AND customer_id = 4081725530;
      UPDATE account SET status = 'CANCELED' WHERE customer_id = 4081725530`);
    expect(await isMissing(NOON, REPORT, copy)).toBe(false);
  });
});
