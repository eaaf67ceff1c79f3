import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { settingsFrom } from '../../../src/config/read-settings.ts';
import { scheduleHealth, scheduleMeasures } from '../../../src/dashboard/status/schedule-standing.ts';
import { statusEffect, statusMeasures, statusPage } from '../../../src/dashboard/status/status-page.ts';
import type { Role } from '../../../src/domain/role.ts';
import { takeLease } from '../../../src/engine/schedule/lease.ts';
import { openScheduleFile, schedulePath } from '../../../src/engine/schedule/schedule-file.ts';
import { claimTick, recordJobs } from '../../../src/engine/schedule/tick-table.ts';
import { fakeClock } from '../../support/fake-time.ts';
import {
  fillHostileState,
  HOSTILE,
  HOSTILE_BUDGET,
  HOSTILE_CUSTOMER,
  PHONE,
  SECRET,
} from '../../support/hostile-state.ts';
import { htmlFindings } from '../../support/html-findings.ts';
import { NO_OPTIONS, NO_RETRY } from '../../support/no-options.ts';
import { withoutOurScript } from '../../support/without-our-script.ts';
import { NOON } from '../../support/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

function depsIn(data: string) {
  mkdirSync(join(folder, data), { recursive: true });
  const environment = { MESSAGES_TO: `whatsapp:${PHONE}`, MESSAGES_PASSWORD: SECRET };
  const settings = settingsFrom(folder, { dataDir: data }, environment, '');
  return { settings, clock: fakeClock(NOON) };
}

const deps = depsIn('full');
const statePath = join(folder, 'full', 'state.sqlite');
await fillHostileState(statePath);
// Nobody reads what a run leaves as a file.
mkdirSync(join(folder, 'full', 'runs'));
writeFileSync(join(folder, 'full', 'runs', '60.json'), '{"run":{"id":60},"decisions":[{"reason":"of a file"}]}');
new Database(statePath)
  .exec(`UPDATE run SET state = 'stopped', error = 'Slices were left: the run was asked to stop.' WHERE id = 59;
    UPDATE run SET accounts = 3 WHERE id IN (57, 58);
    INSERT INTO run_account (run_id, customer_id, state, reason, code) VALUES
      (59, 1234567890, 'stopped', 'Given up, because the run was asked to stop.', NULL),
      (58, 1234567890, 'not_reached', 'this run had nothing to read for it', 'nothing_to_read')`)
  .close();

const page = (path: string, query = '', role: Role = 'viewer') => statusPage(deps, { path, query, role });
const BUDGET = `/budgets/${HOSTILE_CUSTOMER}/${HOSTILE_BUDGET}`;
const ACCOUNT = `/accounts/${HOSTILE_CUSTOMER}`;
const PAGES = ['/', '/inbox', '/runs', '/runs/60', '/coverage', '/budgets', BUDGET, ACCOUNT, '/alerts'];

describe('the inbox', () => {
  it('names alerts that were not delivered, with each line of their text', async () => {
    const lost = depsIn('lost');
    const path = join(folder, 'lost', 'state.sqlite');
    await fillHostileState(path);
    const inbox = async () => (await statusPage(lost, { path: '/inbox', query: '', role: 'viewer' })).html;
    expect(await inbox()).not.toContain('Alerts not delivered');
    new Database(path)
      .exec(
        `UPDATE outbox SET state = 'failed', lost_at = '${NOON}', text = text || char(10) || 'Undo: <b>' WHERE reason = 'event'`,
      )
      .close();
    const html = withoutOurScript(await inbox());
    const section = /Alerts not delivered.*?pacekeeper alerts acknowledge/s.exec(html)?.[0] ?? '';
    expect(section).toMatch(/call \S+, the key is .*<br>Undo: &lt;b&gt; <\/li>/);
    expect(section).not.toMatch(/<script|<img|<b>/);
    expect(section).not.toContain(SECRET);
    expect(section).not.toContain(PHONE);
    expect(await htmlFindings(html)).toEqual([]);
  });

  it('asks anew about an alert that became more severe after its page was shown', async () => {
    const worse = depsIn('worse');
    const path = join(folder, 'worse', 'state.sqlite');
    await fillHostileState(path);
    const state = new Database(path);
    const { id } = state.prepare("SELECT id FROM alert WHERE kind = 'condition'").get() as { id: number };
    const seen = async () => {
      const effect = await statusEffect(worse, { act: 'acknowledge', on: `A${id}` });
      return effect.kind === 'possible' ? effect.seen : undefined;
    };
    const shown = await seen();
    expect(shown).toBe(await seen());
    state.exec(`UPDATE alert SET severity = 'info' WHERE id = ${id}`);
    const info = await seen();
    state.exec(`UPDATE alert SET severity = 'critical' WHERE id = ${id}`);
    expect(new Set([info, await seen()]).size).toBe(2);
    state.close();
  });
});

describe('the pages of serve', () => {
  it.each(['/budgets', BUDGET, '/alerts'])(
    '%s as CSV names no secret and no number, and no direction of writing',
    async (path) => {
      const { status, file } = await page(path, 'format=csv');
      expect(status).toBe(200);
      expect(String(file?.content).split('\r\n').length).toBeGreaterThan(2);
      expect(file?.content).toContain('<script>alert(document.cookie)</script>');
      for (const hidden of [PHONE.slice(1), SECRET, '\u202e'])
        expect(String(file?.content).includes(hidden), hidden).toBe(false);
    },
  );

  it('are valid HTML, and show hostile names as text', async () => {
    for (const path of PAGES) {
      const { status, html } = await page(path);
      expect([path, status]).toEqual([path, 200]);
      expect(/<script|<img|onerror="|\u202e/i.exec(withoutOurScript(html))?.[0], path).toBeUndefined();
      expect([path, await htmlFindings(html)]).toEqual([path, []]);
      for (const hidden of [PHONE.slice(1), SECRET]) expect(html.includes(hidden), `${path} ${hidden}`).toBe(false);
      // Nothing of a page is fetched, from anywhere.
      expect(
        html.match(/(?:src|href)="(?!data:,"|#|\.|inbox|accounts|budgets|alerts|coverage|runs|explore)[^"]*"/g),
        path,
      ).toBeNull();
    }
  });

  it.each<[sentence: string, path: string, words: readonly (string | RegExp)[]]>([
    ['a proposal and a change in doubt', '/inbox', ['7K3A', '50.00 EUR → <strong>34.00 EUR', 'Changes in doubt']],
    ['no link to decide, for a viewer', '/inbox', [/^(?!.*act=approve).*$/s]],
    ['the newest runs, with a link to older ones', '/runs', ['runs/60"', 'runs/11"', 'runs?before=11']],
    ['the failures of a run', '/runs/60', ['Another failed, too.', 'class="badge bad">failed<', '1,234', 'B1']],
    [
      'the decisions and suggestions of a run',
      '/runs/60',
      [
        '<h2>Approval requested</h2>',
        'Suggested',
        /50\.00.*34\.00 EUR/s,
        'COOLDOWN',
        'was changed by a rule on 2026-11-19',
        /^(?!.*of a file).*$/s,
      ],
    ],
    [
      'a stopped run as not failed',
      '/runs/59',
      [
        '"badge waits">stopped</span></h1>',
        '<h2>Stopped</h2>',
        /stopped<\/span><\/td>.*Given up, because/,
        /^(?!.*failed).*$/s,
      ],
    ],
    ['that the account results of a run have expired', '/runs/57', ['keep_records_days']],
    ['the recorded accounts of a run', '/runs/58', [/^(?!.*keep_records_days).*$/s]],
    ['an account with nothing to read', '/runs/58', ['>not read</span>', /^(?!.*not reached).*$/s]],
    [
      'missing days and no others',
      '/coverage',
      ['<h2>Missing days</h2>', 'badge bad">missing<', /^(?!.*class="day settled).*$/s],
    ],
    ['changed budgets', '/budgets', [`budgets/${HOSTILE_CUSTOMER}/201"`, 'budgets/1234567890/202"']],
    [
      'the history of a budget',
      BUDGET,
      ['<svg', 'changed elsewhere', '34.00 EUR', '50.00 EUR', '7K3A', '<small>EUR</small>', 'href="#B'],
    ],
    [
      'both changes of one day, and their result',
      BUDGET,
      [
        'From 40.00 EUR to 50.00 EUR in 2 changes, between 34.00 EUR and 50.00 EUR.',
        '>2026-11-20 10:30<',
        />Rule<\/th><th [^>]*class="long [^>]*>Why<\/th>/,
      ],
    ],
    ['firing alerts and their recipients', '/alerts', ['Firing', '+49…78', 'critical', 'S1']],
    ['the present state', '/', ['Last report: ', '1 change awaits approval']],
  ])('show %s', async (_sentence, path, words) => {
    const { html } = await page(path);
    const missing = words.filter((word) => !(word instanceof RegExp ? word.test(html) : html.includes(word)));
    expect(missing).toEqual([]);
  });

  it.each<[sentence: string, path: string, query: string, status: number]>([
    ['an unknown run', '/runs/61', '', 404],
    ['a run id of letters', '/runs/../../etc/passwd', '', 404],
    ['a run id beyond int64', '/runs/9999999999999999999', '', 404],
    ['a run id with SQL', "/runs/1'--", '', 404],
    ['an unknown budget', '/budgets/1/2', '', 404],
    ['an unknown account', '/accounts/1', '', 404],
    ['a filter with markup', '/', 'from=%3Cscript%3E&customer=%27--', 200],
    ['a budget path without the budget', '/budgets/1', '', 404],
    ['a prototype name', '/constructor', '', 404],
    ['a file path', '/../serve-tokens.json', '', 404],
    ['runs before an invalid number', '/runs', 'before=-1&before=%00', 200],
    ['runs before the first', '/runs', 'before=1', 200],
    ['a page of budgets beyond the last', '/budgets', 'page=99999', 200],
    ['an invalid page of budgets', '/budgets', 'page=%3Cscript%3E', 200],
    ['one account’s coverage', '/coverage', `query=keyword_stats&customer=${HOSTILE_CUSTOMER}`, 200],
    ['the coverage of an unknown account', '/coverage', 'query=%27%3B--&customer=%3Cscript%3E', 404],
    ['an undecodable query', '/coverage', '%E0%A4%A&&&===', 200],
  ])('answer a request for %s', async (_sentence, path, query, status) => {
    const answer = await page(path, query);
    expect(answer.status).toBe(status);
    expect(withoutOurScript(answer.html)).not.toMatch(/<script|passwd/);
  });

  it.each<[sentence: string, path: string, query: string, shows: RegExp, hides: RegExp]>([
    ['the gaps of a range', '/coverage', 'from=2026-10-13&to=2026-10-14', />2026-10-13</, /No day is missing/],
    ['no gap outside it', '/coverage', 'from=2026-10-14&to=2026-10-20', /No day is missing/, /Missing days/],
    [
      'no gap of an unknown account',
      '/coverage',
      'customer=7',
      /No account 7 is known/,
      /Missing days|No day is missing/,
    ],
    ['the runs of a day', '/runs', 'from=2026-11-20&to=2026-11-20', /Run 60/, /No such run/],
    ['no run of another day', '/runs', 'to=2020-01-01', /No such run/, /Run \d/],
    ['the runs of an account', '/runs', `customer=${HOSTILE_CUSTOMER}`, /Run 60.*Run 59.*Run 58/s, /Run 57/],
    ['the alerts of an account', '/alerts', `customer=${HOSTILE_CUSTOMER}`, /<h2>Firing/, /<h2>Silences/],
    ['that no alert matches', '/alerts', 'customer=7', /No alert matches the filter/, /<h2>Firing/],
    ['that a filter is invalid', '/runs', 'from=yesterday', /Ignored: .*yesterday/, /No such run/],
  ])('show %s', async (_sentence, path, query, shows, hides) => {
    const { status, html } = await page(path, query);
    expect(status).toBe(200);
    expect(html).toMatch(shows);
    expect(html).not.toMatch(hides);
  });

  it('name the first failure of a run in the timeline', async () => {
    expect((await page('/runs')).html).toMatch(
      /Run 60, .*badge bad">failed<.*class="bad">[^<]+<.*Run 59.*badge waits">stopped</s,
    );
  });

  it('show committed data while a run writes', async () => {
    const writer = new Database(statePath);
    try {
      writer.exec("BEGIN IMMEDIATE; UPDATE run SET target = 'half written'");
      for (const path of PAGES) expect((await page(path)).status).toBe(200);
      expect((await page('/runs/60')).html).not.toContain('half written');
    } finally {
      writer.exec('ROLLBACK');
      writer.close();
    }
  });

  it('hide secrets and recipients’ numbers everywhere, and their links work', async () => {
    const alerts = { ...deps.settings.alerts, approvers: [PHONE] };
    const known = { ...deps, settings: { ...deps.settings, alerts } };
    const writer = new Database(statePath);
    const digits = PHONE.slice(1);
    try {
      const name = `${SECRET} call 00${digits}, ${digits} or ${PHONE}`;
      writer.prepare('UPDATE account SET name = ?').run(name);
      writer.prepare('UPDATE budget_intent SET campaign_name = ?').run(name);
      writer.prepare('UPDATE budget_proposal SET campaign_name = ?').run(name);
      writer.prepare('UPDATE account_day SET query = ?').run(`clicks of ${SECRET}`);
      // The report shows the first 200 characters.
      writer.prepare('UPDATE outbox SET text = ?').run(`${'x'.repeat(185)}${SECRET}`);
    } finally {
      writer.close();
    }
    for (const path of PAGES) {
      const { html } = await statusPage(known, { path, query: '', role: 'viewer' });
      for (const hidden of [SECRET.slice(0, 8), digits]) expect(html.includes(hidden), `${path} ${hidden}`).toBe(false);
    }
    const chosen = new URLSearchParams({ query: 'clicks of [redacted]', customer: HOSTILE_CUSTOMER });
    const { status, html } = await statusPage(known, { path: '/coverage', query: String(chosen), role: 'viewer' });
    expect([status, html]).toEqual([200, expect.stringContaining('[redacted] call 49…78, 49…78 or +49…78')]);
    const labels = (await statusMeasures(known)).flatMap(({ samples }) => samples.map((sample) => sample.labels.query));
    expect(labels).toContain('clicks of [redacted]');
    const after = new Database(statePath);
    after.prepare('UPDATE account_day SET query = ?').run('keyword_stats');
    after.close();
  });

  it('write nothing', async () => {
    const changes = () => {
      const reader = new Database(statePath, { readonly: true });
      const version = reader.pragma('data_version', { simple: true });
      const events = reader.prepare('SELECT count(*) FROM budget_event').pluck().get();
      reader.close();
      return [version, events];
    };
    const before = changes();
    writeFileSync(join(folder, 'full', 'FREEZE'), `${HOSTILE}\n`);
    for (const path of PAGES) await page(path);
    expect((await page('/')).html).toContain('No budget is changed');
    rmSync(join(folder, 'full', 'FREEZE'));
    expect(changes()).toEqual(before);
  });
});

describe('the schedule', () => {
  const jobs = [
    { name: '<b>morning', job: 'report', cron: '30 5 * * *', timeZone: 'UTC', retry: NO_RETRY, options: NO_OPTIONS },
  ] as const;
  const there = depsIn('scheduled');
  const scheduled = { ...there, settings: { ...there.settings, schedule: jobs } };

  it('has no state if it never ran', async () => {
    expect([scheduleHealth(scheduled), scheduleMeasures(scheduled)]).toEqual(['none', []]);
  });

  it('shows its jobs, its state and their last results', async () => {
    const file = openScheduleFile(schedulePath(join(folder, 'scheduled')));
    const self = { pid: 1, host: 'here', place: 'here', birth: '' };
    takeLease(file, self, () => 'gone', scheduled.clock.now());
    recordJobs(file, jobs, scheduled.clock.now());
    const dueMs = Date.parse('2026-11-20T05:30:00Z');
    claimTick(file, { job: jobs[0].name, dueMs, reason: 'nothing was missing', token: 1 }, 'missed');
    file.close();
    expect(scheduleHealth(scheduled)).toBe('running');
    expect(scheduleMeasures(scheduled)[0]?.samples).toEqual([{ labels: {}, value: 1 }]);
    await fillHostileState(join(folder, 'scheduled', 'state.sqlite'));
    const { html } = await statusPage(scheduled, { path: '/runs', query: '', role: 'viewer' });
    for (const words of [
      '&lt;b&gt;morning',
      '2026-11-21 05:30',
      '2026-11-20 05:30',
      'nothing was missing',
      '>missed<',
    ]) {
      expect(html).toContain(words);
    }
    scheduled.clock.set('2026-11-20T13:00:00Z');
    expect(scheduleHealth(scheduled)).toBe('stopped');
    writeFileSync(schedulePath(join(folder, 'scheduled')), 'no database');
    expect(scheduleHealth(scheduled)).toBe('unknown');
    expect((await statusPage(scheduled, { path: '/runs', query: '', role: 'viewer' })).status).toBe(200);
  });
});

describe('a data folder', () => {
  it('without data shows what to do', async () => {
    const { status, html } = await statusPage(depsIn('empty'), { path: '/', query: '', role: 'viewer' });
    expect([status, html]).toEqual([200, expect.stringContaining('Run pacekeeper report.')]);
    expect(await statusMeasures(depsIn('empty'))).toEqual([]);
  });

  it.each<[sentence: string, data: string, make: (path: string) => void, words: string]>([
    [
      'with a file that is no database',
      'damaged',
      (path) => writeFileSync(path, 'x'.repeat(9000)),
      'cannot be used as a database',
    ],
    [
      'of another version',
      'newer',
      (path) =>
        new Database(path)
          .exec('CREATE TABLE kysely_migration (name); INSERT INTO kysely_migration VALUES (99)')
          .close(),
      'written by another version',
    ],
    ['with a link to itself', 'circle', (path) => symlinkSync(path, path), 'is a link, but its target'],
  ])('%s is reported on a page', async (_sentence, data, make, words) => {
    const there = depsIn(data);
    make(join(folder, data, 'state.sqlite'));
    const { status, html } = await statusPage(there, { path: '/runs', query: '', role: 'viewer' });
    expect([status, html]).toEqual([503, expect.stringContaining(words)]);
    await expect(statusMeasures(there)).rejects.toThrow(words);
  });
});

describe('the numbers for /metrics', () => {
  it('come from the databases', async () => {
    const measures = await statusMeasures(deps);
    const values = measures.flatMap(({ name, samples }) =>
      samples.map(
        ({ labels, value }) => `${name.replace('pacekeeper_', '')} ${Object.values(labels).join(' ')} ${value}`,
      ),
    );
    expect(values).toEqual([
      'runs report done 58',
      'runs report failed 1',
      'runs report stopped 1',
      `last_run_timestamp_seconds report ${Date.parse('2026-11-20T09:39:00Z') / 1000}`,
      `last_success_timestamp_seconds report ${Date.parse('2026-11-20T00:59:00Z') / 1000}`,
      'rows_read  74040',
      'budget_changes applied 1',
      'budget_changes planned 1',
      'proposals_open  1',
      'budgets_frozen  0',
      'record_head_event  9',
      expect.stringMatching(/^record_head_info 9:[0-9a-f]{64} 1$/),
      'conditions_firing critical 1',
      'outbox pending 2',
      `settled_until_timestamp_seconds keyword_stats ${Date.parse('2026-10-12') / 1000}`,
    ]);
  });
});
