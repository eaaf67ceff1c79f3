import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openScheduleFile, schedulePath } from '../../../src/engine/schedule/schedule-file.ts';
import { alter } from '../../support/alter-record.ts';
import { createProduct, type Product } from '../../support/product.ts';
import { byEngine } from '../../support/state.ts';

const CONFIG = 'alerts: { recipients: { anna: { messages: "whatsapp:+4915112345678" } }, digest_at: never }\n';

async function watchedProduct() {
  const product = await createProduct({ config: CONFIG, rules: {} });
  return { product, watch: () => watched(product) };
}

/** What one look of another process found, and what it sent, without references. */
async function watched(product: Product) {
  const before = product.sandbox.messages().length;
  const { code, value } = await product.json(['watch', '--once']);
  const sent = product.sandbox.messages().slice(before);
  return {
    code,
    firing: value.watched
      .filter((one: { firing: boolean }) => one.firing)
      .map((one: { trouble: string }) => one.trouble),
    sent: sent.map(({ body }) => body.replace(/\nRef pk-\w{8}$/, '')),
  };
}

describe('pacekeeper watch', () => {
  it('has nothing to say before the first run, and after a run that is well', async () => {
    const { product, watch } = await watchedProduct();
    expect(await watch()).toEqual({ code: 0, firing: [], sent: [] });
    expect((await product.run(['report'])).code).toBe(0);
    expect(await watch()).toEqual({ code: 0, firing: [], sent: [] });
  });

  it('tells of a failed run once, with its first failures, and of its end', async () => {
    const { product, watch } = await watchedProduct();
    product.fault = ({ kind }) => (kind === 'stream' ? { kind: 'reset_before' } : undefined);
    expect((await product.run(['report'])).code).toBe(1);
    const told = await watch();
    expect(told).toMatchObject({ code: 0, firing: ['run_failed'] });
    expect(told.sent).toEqual([
      expect.stringMatching(
        /^Run failed: report of 2026-11-20 12:00 UTC \(run 1\)\n.*ECONNRESET[\s\S]*\nRead more: pacekeeper status$/,
      ),
    ]);
    expect(await watch()).toMatchObject({ firing: ['run_failed'], sent: [] });
    product.fault = undefined;
    product.at('2026-11-20T14:00:00Z');
    expect((await product.run(['report'])).code).toBe(0);
    expect(await watch()).toEqual({
      code: 0,
      firing: [],
      sent: ['Resolved: Run failed: report of 2026-11-20 12:00 UTC (run 1)'],
    });
    expect(await watch()).toMatchObject({ sent: [] });
  });

  it('says nothing new about a run that fails again, and repeats it after a day', async () => {
    const { product, watch } = await watchedProduct();
    product.fault = ({ kind }) => (kind === 'stream' ? { kind: 'reset_before' } : undefined);
    await product.run(['report']);
    expect((await watch()).sent).toHaveLength(1);
    product.at('2026-11-20T18:00:00Z');
    await product.run(['report']);
    expect((await watch()).sent).toEqual([]);
    product.at('2026-11-21T12:00:00Z');
    await product.run(['report']);
    expect((await watch()).sent).toEqual([expect.stringContaining('Run failed: report of 2026-11-21 12:00 UTC')]);
  });

  it('tells of a run whose process died without a word', async () => {
    const { product, watch } = await watchedProduct();
    await product.run(['report']);
    product.execute("UPDATE run SET state = 'running', ended_at = NULL");
    expect(await watch()).toMatchObject({
      code: 0,
      firing: expect.arrayContaining(['run_failed']),
      sent: [
        expect.stringContaining('Run died: report of 2026-11-20 12:00 UTC (run 1)\nIts process ended without a word.'),
      ],
    });
  });

  it('tells of a job that was killed before it recorded a run, and of its end', async () => {
    const { product, watch } = await watchedProduct();
    await product.run(['report']);
    product.reconfigure('apply', `${CONFIG}schedule: [{ name: daily, cron: "0 5 * * *", job: report }]\n`);
    const file = openScheduleFile(schedulePath(join(product.folder, 'data')));
    onTestFinished(() => void file.close());
    const tick = (state: string, due: string) =>
      file.exec(`INSERT INTO tick (job, due_at, state, token, attempts, started_at, ended_at)
        VALUES ('daily', '${due}', '${state}', 1, 1, '${due}', '${due}')`);
    file.exec("INSERT INTO known_job VALUES ('daily', 'x', 0)");
    tick('failed', '2026-11-20T05:00:00Z');
    expect(await watch()).toMatchObject({
      firing: ['job_failed'],
      sent: [expect.stringContaining('\ndaily, due 2026-11-20 05:00 UTC: it was killed, or did not start\n')],
    });
    tick('done', '2026-11-20T06:00:00Z');
    expect(await watch()).toMatchObject({ firing: [], sent: ['Resolved: A job failed before its run began'] });
  });

  it('still tells of a failed run if the file of the schedule is damaged, and ends with 1', async () => {
    const { product, watch } = await watchedProduct();
    product.fault = ({ kind }) => (kind === 'stream' ? { kind: 'reset_before' } : undefined);
    await product.run(['report']);
    writeFileSync(join(product.folder, 'data', 'schedule.sqlite'), 'no database');
    expect(await watch()).toMatchObject({
      code: 1,
      firing: ['run_failed'],
      sent: [expect.stringContaining('Run failed')],
    });
    expect((await product.json(['watch', '--once'])).value.failures).toEqual([
      expect.stringContaining('Could not check job_failed: '),
    ]);
  });

  it('tells that no report was complete for too long, and that the published file is old', async () => {
    const { product, watch } = await watchedProduct();
    await product.run(['report']);
    product.at('2026-11-21T13:59:00Z');
    expect((await watch()).firing).toEqual([]);
    product.at('2026-11-21T14:01:00Z');
    if (byEngine({ sqlite: true, postgres: false })) {
      const noon = Date.parse('2026-11-20T12:00:00Z') / 1000;
      utimesSync(join(product.folder, 'data', 'warehouse.sqlite'), noon, noon);
    }
    const stale = byEngine({ sqlite: ['publication_stale'], postgres: [] });
    const { firing, sent } = await watch();
    expect(firing).toEqual(['no_complete_run', ...stale]);
    expect(sent.join('\n')).toContain('No complete report since 2026-11-20 12:00 UTC');
  });

  it('tells in the configured hours of reports that a broken query refuses, although they leave no record', async () => {
    const product = await createProduct({ config: `${CONFIG}watch: { complete_run_hours: 25 }\n`, rules: {} });
    await product.run(['report']);
    const query = join(product.folder, 'queries', 'stats.sql');
    const good = readFileSync(query, 'utf8');
    writeFileSync(query, 'SELECT campaign.nothing FROM campaign');
    product.at('2026-11-21T12:00:00Z');
    expect((await product.run(['report'])).code).toBe(2);
    expect(product.rows('SELECT state FROM run')).toEqual([{ state: 'done' }]);
    expect(await watched(product)).toMatchObject({ firing: [], sent: [] });
    product.at('2026-11-21T13:01:00Z');
    expect(await watched(product)).toMatchObject({
      code: 0,
      firing: ['no_complete_run'],
      sent: [expect.stringMatching(/^No complete report since 2026-11-20 12:00 UTC\nOne is expected every 25 hours /)],
    });
    expect((await watched(product)).sent).toEqual([]);
    writeFileSync(query, good);
    expect((await product.run(['report'])).code).toBe(0);
    expect(await watched(product)).toMatchObject({
      firing: [],
      sent: ['Resolved: No complete report since 2026-11-20 12:00 UTC'],
    });
  });

  it('tells that budgets are frozen for days, by whom and why', async () => {
    const { product, watch } = await watchedProduct();
    await product.run(['report']);
    await product.run(['freeze', '--why', 'prices are wrong']);
    product.at('2026-11-23T12:00:00Z');
    await product.run(['report']);
    const { firing, sent } = await watch();
    expect(firing).toEqual(['frozen']);
    expect(sent).toEqual([
      expect.stringContaining('Budgets are frozen for 3 days\nBy anna, since 2026-11-20 12:00 UTC: prices are wrong\n'),
    ]);
  });

  it.each([
    ['an event since the last run, at once', 6, '2026-11-20T12:10:00Z', /Event 6 was altered/],
    ['an old event, after a day without a run', 2, '2026-11-21T12:10:00Z', /Event 2 was altered/],
  ])(
    'tells that somebody altered %s, and freezes budgets; runs and later looks do not repeat it',
    async (_, id, at, words) => {
      const product = await createProduct({ config: CONFIG });
      await product.run(['report']);
      await product.run(['freeze', '--why', 'x']);
      await product.run(['unfreeze', '--why', 'y']);
      expect(await watched(product)).toMatchObject({ firing: [], sent: [] });
      alter(product, `UPDATE budget_event SET actor = 'nobody' WHERE id = ${id}`);
      product.at(at);
      const { code, firing, sent } = await watched(product);
      expect([code, firing, sent]).toEqual([0, ['record_altered'], [expect.stringMatching(words)]]);
      expect(sent[0]).toMatch(/Budgets are frozen: somebody may have altered the record\./);
      expect(product.rows("SELECT actor FROM budget_event WHERE kind = 'frozen' ORDER BY id")).toEqual([
        { actor: 'anna' },
        { actor: 'pacekeeper' },
      ]);
      expect(await watched(product)).toMatchObject({ firing: ['record_altered'], sent: [] });
      const before = product.sandbox.messages().length;
      expect((await product.json(['report'])).value.failures).toEqual([expect.stringMatching(words)]);
      const later = product.sandbox.messages().slice(before);
      expect(later.filter(({ body }) => body.includes('altered the record.'))).toEqual([]);
      expect([product.amount(), product.sends().length]).toEqual([51_000_000n, 1]);
    },
  );

  it('verifies old events only if no run did so for a day', async () => {
    const product = await createProduct({ config: CONFIG });
    await product.run(['report']);
    alter(product, "UPDATE budget_event SET actor = 'nobody' WHERE id = 2");
    product.at('2026-11-21T11:50:00Z');
    expect(await watched(product)).toMatchObject({ code: 0, firing: [], sent: [] });
    product.at('2026-11-21T12:10:00Z');
    expect(await watched(product)).toMatchObject({ code: 0, firing: ['record_altered'] });
  });

  it('is heard once if two processes look at the same time', async () => {
    const { product } = await watchedProduct();
    product.fault = ({ kind }) => (kind === 'stream' ? { kind: 'reset_before' } : undefined);
    await product.run(['report']);
    const before = product.sandbox.messages().length;
    const looks = await Promise.all([product.cli(['watch', '--once']), product.cli(['watch', '--once'])]);
    expect(looks.map(({ code }) => code)).toEqual([0, 0]);
    expect(product.sandbox.messages().slice(before)).toHaveLength(1);
  });

  it('is silent while a silence covers all alerts, and speaks afterwards', async () => {
    const { product, watch } = await watchedProduct();
    product.fault = ({ kind }) => (kind === 'stream' ? { kind: 'reset_before' } : undefined);
    await product.run(['report']);
    await product.run(['alerts', 'silence', '--all', '--for', '1h', '--why', 'known']);
    expect((await watch()).sent).toEqual([]);
    product.at('2026-11-20T13:30:00Z');
    expect((await watch()).sent).toHaveLength(1);
  });
});
