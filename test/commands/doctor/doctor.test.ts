import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { ASKED_TO_STOP } from '../../../src/domain/ports.ts';
import { createClock } from '../../../src/engine/process-time.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { upsertAccounts } from '../../../src/storage/records/runs/account-table.ts';
import { endRun, startRun } from '../../../src/storage/records/runs/run-table.ts';
import { damageTable } from '../../support/damage.ts';
import { freshState, NOW_MS, stateIn } from '../../support/state.ts';
import { stubServer } from '../../support/stub-server.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runInProcess } from '../run-in-process.ts';

interface Check {
  readonly part: string;
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly expected: string;
  readonly next_step: string | null;
}

/** A folder with what `files` say, and one query. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = tempDir();
  mkdirSync(join(folder, 'queries'));
  mkdirSync(join(folder, 'rules'));
  writeFileSync(join(folder, 'queries', 'campaigns.sql'), 'SELECT campaign.id FROM campaign');
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text, { mode: 0o600 });
  return folder;
}

/** The checks by their names, and the exit code. */
async function doctor(folder: string, env: Record<string, string> = {}, ...more: string[]) {
  const { code, stdout, stderr } = await runInProcess(['doctor', '--format', 'json', ...more], { folder, env });
  const checks = JSON.parse(stdout) as Check[];
  for (const { state, expected, next_step } of checks) {
    expect(expected).not.toBe('');
    expect(next_step === null).toBe(state === 'ok');
  }
  return { code, stdout, stderr, of: (name: string) => checks.find(({ check }) => check === name) };
}

function settingsFor({ url, credentials }: Sandbox): string {
  const { messages, graph, container } = credentials;
  return [
    'PACEKEEPER_TARGET=live',
    `ADS_URL=${url}`,
    `ADS_ACCESS_TOKEN=${credentials.accessToken}`,
    `ADS_DEVELOPER_TOKEN=${credentials.developerToken}`,
    `MESSAGES_URL=${url}`,
    `MESSAGES_ACCOUNT_ID=${messages.accountId}`,
    `MESSAGES_USERNAME=${messages.username}`,
    `MESSAGES_PASSWORD=${messages.password}`,
    `MESSAGES_FROM=${messages.from}`,
    `MESSAGES_TO=${messages.to}`,
    `GRAPH_URL=${url}`,
    `GRAPH_ACCESS_TOKEN=${graph.accessToken}`,
    `CONTAINER_URL=${url}`,
    `GRAPH_BUSINESS_ACCOUNT_ID=${graph.businessAccountId}`,
    `GRAPH_PHONE_NUMBER_ID=${graph.phoneNumberId}`,
    `CONTAINER_USERNAME=${container.username}`,
    `CONTAINER_PASSWORD=${container.password}`,
  ].join('\n');
}

let sandbox: Sandbox;
let settings: string;

beforeAll(async () => {
  // Doctor judges the machine's own clock, so the service has that, too.
  sandbox = await startSandbox({ stateFile: ':memory:', clock: createClock(undefined), seed: 1, strict: false });
  settings = settingsFor(sandbox);
});

afterAll(() => sandbox.close());

it('doctor names an excluded account whose sub-accounts cannot be read, which would stop every run', async () => {
  const { of, code } = await doctor(folderOf({ '.env': settings }), { ADS_EXCLUDE_CUSTOMER_IDS: '5555' });
  expect(code).toBe(1);
  expect(of('advertising')).toMatchObject({
    state: 'failed',
    found: expect.stringContaining('The accounts below the excluded account 5555 are unknown'),
    next_step: expect.stringContaining('remove it from ads.exclude_customer_ids'),
  });
});

describe('doctor names templates that are missing before the first night', () => {
  const templatesOf = (name: string) => `${name}: { templates: { default: { content: HX${'0'.repeat(32)} } } }`;

  it.each([
    ['no templates', '', 'none', /Set messages\.templates\.default/],
    [
      'no template for some kinds of alerts',
      templatesOf('messages').replace('default', 'digest'),
      'digest; only alerts show whether the provider approved them',
      /or one for event, condition, test and reply/,
    ],
  ])('with %s', async (_sentence, config, found, next_step) => {
    const { of } = await doctor(folderOf({ '.env': settings, 'pacekeeper.yaml': config }), {}, '--offline');
    expect(of('messages templates')).toMatchObject({ state: 'warning', found });
    expect(of('messages templates')?.next_step).toMatch(next_step);
  });

  it('and is content with a default', async () => {
    const folder = folderOf({ '.env': settings, 'pacekeeper.yaml': templatesOf('messages') });
    expect((await doctor(folder, {}, '--offline')).of('messages templates')).toMatchObject({ state: 'ok' });
  });

  it('but not for a channel that has no recipients', async () => {
    const config = 'alerts: { recipients: { anna: { messages: "whatsapp:+15550100002" } } }';
    const { of } = await doctor(folderOf({ '.env': settings, 'pacekeeper.yaml': config }), {}, '--offline');
    expect(of('graph templates')).toBeUndefined();
  });
});

describe('doctor sends each area one harmless request', () => {
  it('reports all as ok', async () => {
    const { code, of, stdout } = await doctor(folderOf({ '.env': settings }));
    expect(code).toBe(0);
    expect(of('advertising')).toMatchObject({
      part: 'services',
      state: 'ok',
      found: `${sandbox.url}: 4 accounts reached`,
    });
    for (const area of ['messages', 'graph', 'container', 'clock', 'recipients', '.env mode']) {
      expect(of(area)).toMatchObject({ state: 'ok' });
    }
    expect(of('state.sqlite')).toMatchObject({ state: 'missing', next_step: 'Run pacekeeper report to create it.' });
    expect(stdout).not.toContain(sandbox.credentials.accessToken);
  });

  it('passes a service that has exactly the specified operations', async () => {
    const strict = await startSandbox({ stateFile: ':memory:', clock: createClock(undefined), seed: 1, strict: true });
    onTestFinished(() => strict.close());
    const folder = folderOf({ '.env': settingsFor(strict) });
    const { code, of } = await doctor(folder);
    expect(code).toBe(0);
    for (const area of ['advertising', 'graph']) expect(of(area)).toMatchObject({ state: 'ok' });
    expect(of('container')).toMatchObject({
      state: 'ok',
      found: `${strict.url}: logged in; a health report is not offered`,
    });
    expect(of('messages')).toMatchObject({
      state: 'missing',
      found: `${strict.url}: listing messages is not offered, so the credentials are not checked`,
      next_step: expect.stringContaining('pacekeeper messages send'),
    });
    const wrong = await doctor(folder, { CONTAINER_PASSWORD: 'wrong-S3Cret' });
    expect([wrong.code, wrong.of('container')?.state]).toEqual([1, 'failed']);
  });

  it('needs no developer token, and says whether one is sent', async () => {
    const without = await doctor(folderOf({ '.env': settings.replace(/^ADS_DEVELOPER_TOKEN=.*$/m, '') }));
    expect(without.code).toBe(0);
    expect(without.of('advertising')).toMatchObject({ state: 'ok' });
    expect(without.of('developer token')).toMatchObject({ state: 'ok', found: 'not set, and not needed' });
    const { of } = await doctor(folderOf({ '.env': settings }));
    expect(of('developer token')).toMatchObject({ state: 'ok', found: 'set, and sent with every request' });
  });

  it('names each wrong credential', async () => {
    const wrong = settings.replaceAll(
      /^(ADS_ACCESS_TOKEN|MESSAGES_PASSWORD|GRAPH_ACCESS_TOKEN|CONTAINER_PASSWORD)=.*$/gm,
      '$1=wrong-S3Cret',
    );
    const { code, of, stdout } = await doctor(folderOf({ '.env': wrong }));
    expect(code).toBe(1);
    for (const area of ['advertising', 'messages', 'graph', 'container']) {
      expect(of(area)).toMatchObject({
        state: 'failed',
        next_step: expect.stringMatching(/[A-Z]+_[A-Z_]+|token|password/),
      });
    }
    expect(stdout).not.toContain('S3Cret');
  });

  it('sends nothing with --offline', async () => {
    const { url, requests } = await stubServer((_, response) => response.end());
    const { code, of } = await doctor(folderOf({}), { ...LIVE, ADS_URL: url }, '--offline');
    expect(code).toBe(0);
    expect(of('advertising')).toMatchObject({ state: 'ok', found: `${url}, not contacted` });
    expect(of('messages')).toMatchObject({ state: 'missing', found: 'not configured' });
    expect(requests).toEqual([]);
  });

  it('reports a sender that the account does not have', async () => {
    const other = settings.replace(/^GRAPH_PHONE_NUMBER_ID=.*$/m, 'GRAPH_PHONE_NUMBER_ID=106540352249999');
    const { of } = await doctor(folderOf({ '.env': other }));
    expect(of('graph')).toMatchObject({
      state: 'failed',
      found: expect.stringContaining('GRAPH_PHONE_NUMBER_ID is not among the 2 numbers of the business account.'),
      next_step: 'Set it to one that pacekeeper graph phone-numbers lists.',
    });
  });
});

const LIVE = { PACEKEEPER_TARGET: 'live', ADS_ACCESS_TOKEN: 'token' };

it.each([
  ['a day ahead', -86_400_000, 'failed', /^24 hours ahead of 127\.0\.0\.1:\d+$/],
  ['a minute behind', 60_000, 'warning', /^(59|60|61) seconds behind 127\.0\.0\.1:\d+$/],
  ['right', 0, 'ok', /^same time as 127\.0\.0\.1:\d+$/],
])('doctor finds a clock that is %s', async (_, offMs, state, found) => {
  const { url } = await stubServer((_, response) => {
    response.setHeader('date', new Date(Date.now() + offMs).toUTCString());
    response.end('{"resourceNames":["customers/1234567890"]}');
  });
  const { of } = await doctor(folderOf({}), { ...LIVE, ADS_URL: url });
  expect(of('clock')).toMatchObject({ state, found: expect.stringMatching(found) });
});

describe('doctor checks the folder', () => {
  it.each([
    ['an .env that others can read', '.env', 'ADS_URL=', 0o644, '.env mode', /^Run chmod 600 .*\.env$/],
    [
      'a secret in a file that others can read',
      'pacekeeper.yaml',
      'ads: { access_token: x }',
      0o640,
      'pacekeeper.yaml mode',
      /^Run chmod 600 .*pacekeeper\.yaml$/,
    ],
    [
      'a misspelt name in .env',
      '.env',
      'ADS_DEVELOPPER_TOKEN=S3Cret',
      0o600,
      'environment',
      /^Rename it to ADS_DEVELOPER_TOKEN if you meant that\.$/,
    ],
    [
      'live settings beside the sandbox',
      '.env',
      'ADS_URL=https://a.example.com',
      0o600,
      'target',
      /^Set "target: live" in pacekeeper\.yaml, or remove these settings\.$/,
    ],
    [
      'a schema of another version',
      'pacekeeper.schema.json',
      '{}',
      0o644,
      'editor schema',
      /^Run pacekeeper config schema > pacekeeper\.schema\.json$/,
    ],
  ])('warns of %s', async (_, path, text, mode, name, nextStep) => {
    const folder = folderOf({ [path]: text });
    chmodSync(join(folder, path), mode);
    const { code, of, stdout } = await doctor(folder);
    expect(code).toBe(0);
    expect(of(name)).toMatchObject({ state: 'warning', next_step: expect.stringMatching(nextStep) });
    expect(stdout).not.toContain('S3Cret');
  });

  it('reports, as check does, a folder without queries and unknown queries in the schedule', async () => {
    const job = 'schedule:\n  - { name: a, cron: "0 5 * * *", job: extract, options: { query: key_words } }\n';
    const folder = folderOf({ 'pacekeeper.yaml': job });
    rmSync(join(folder, 'queries', 'campaigns.sql'));
    const none = 'No query found in ';
    expect((await doctor(folder)).of('queries, rules')).toMatchObject({
      state: 'failed',
      found: expect.stringContaining(none),
    });
    for (const command of ['check', 'report', 'extract']) {
      const { code, stderr } = await runInProcess([command], { folder });
      expect([command, code, stderr]).toEqual([command, 2, expect.stringContaining(none)]);
    }
    writeFileSync(join(folder, 'queries', 'keywords.sql'), 'SELECT campaign.id FROM campaign\n');
    const message = 'Unknown query "key_words"; known queries: keywords.';
    expect((await doctor(folder)).of('queries, rules')).toMatchObject({ found: `schedule: ${message}` });
    const { code, stdout } = await runInProcess(['check'], { folder });
    expect([code, stdout.replaceAll(folder, '')]).toEqual([
      2,
      expect.stringMatching(/pacekeeper\.yaml:2:67: error: Unknown query/),
    ]);
    expect(stdout).toContain('hint: Did you mean keywords?');
  });

  it('accepts a file without secrets that everyone can read', async () => {
    const folder = folderOf({ 'pacekeeper.yaml': 'ads: { version: v25 }' });
    chmodSync(join(folder, 'pacekeeper.yaml'), 0o644);
    expect((await doctor(folder)).of('pacekeeper.yaml mode')).toBeUndefined();
  });

  it('ignores the environment names of other programs', async () => {
    const { of } = await doctor(folderOf({}), {
      CONTAINER_NAME: 'x',
      PACEKEEPER_SERVICE_HOST: 'x',
      PACEKEEPER_PORT_80_TCP: 'x',
      ADS_URLS: 'x',
    });
    expect(of('environment')).toMatchObject({ found: 'unknown name ADS_URLS in the environment' });
  });

  it('fails for an invalid database and for a query with an error', async () => {
    const folder = folderOf({ 'queries/bad.sql': 'SELECT nothing FROM nowhere' });
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data', 'state.sqlite'), 'no database, whatever else it may be'.repeat(40));
    const { code, of } = await doctor(folder);
    expect(code).toBe(1);
    expect(of('state.sqlite')).toMatchObject({ state: 'failed', found: expect.stringMatching(/^damaged: /) });
    expect(of('queries, rules')).toMatchObject({ state: 'failed', next_step: 'Run pacekeeper check.' });
  });

  it.each([
    ['state.sqlite', 'account_day', /^Run pacekeeper restore FILE with a copy/],
    ['inbox.sqlite', 'webhook_event', /move the file away/],
    ['schedule.sqlite', 'tick', /then skips earlier due times/],
    ['warehouse.sqlite', 'stats', /^Run pacekeeper publish/],
  ])('finds a damaged page of %s, with its table and the next step', async (file, table, nextStep) => {
    const folder = folderOf({});
    mkdirSync(join(folder, 'data'));
    const path = join(folder, 'data', file);
    if (file === 'state.sqlite') await (await stateIn(join(folder, 'data'))).close();
    else new Database(path).exec(`CREATE TABLE ${table} (a); INSERT INTO ${table} VALUES (1)`).close();
    expect((await doctor(folder, {}, '--offline')).of(file)).toMatchObject({ state: 'ok' });
    damageTable(path, table);
    const { code, of } = await doctor(folder, {}, '--offline');
    expect(code).toBe(1);
    const found = expect.stringMatching(new RegExp(`^damaged: in ${table}: `));
    expect(of(file)).toMatchObject({ state: 'failed', found, next_step: expect.stringMatching(nextStep) });
  });

  it('finds settings of an account that no run has read, and suggests the id', async () => {
    const folder = folderOf({ 'pacekeeper.yaml': 'accounts: { 4081725539: { daily_total: 10 } }\n' });
    const state = await stateIn(join(folder, 'data'));
    const account = { customerId: customerId('4081725530'), name: 'Shop', currency: 'EUR', timeZone: 'Europe/Berlin' };
    await upsertAccounts(state.db, [account], NOW_MS);
    await state.close();
    expect((await doctor(folder, {}, '--offline')).of('account settings')).toMatchObject({
      state: 'warning',
      found: 'accounts.4081725539: pacekeeper reads no such account. Did you mean 4081725530?',
    });
  });

  it('ends with 2 for invalid settings, after the checks that need none', async () => {
    const folder = folderOf({ 'pacekeeper.yaml': 'ads: { urll: x }', '.env': 'ADS_URLS=S3Cret' });
    const { code, of, stderr } = await doctor(folder);
    expect(code).toBe(2);
    expect(of('pacekeeper.yaml')).toMatchObject({ state: 'failed', found: '1 error in it' });
    expect(of('environment')).toMatchObject({ state: 'warning' });
    expect(stderr).toContain('Did you mean url?');
  });

  it.each([
    ['one that failed', 'It failed.', 'failed', 'Fix that problem, then run pacekeeper report again.'],
    ['one that was asked to stop', `Left: ${ASKED_TO_STOP}.`, 'stopped', 'Run pacekeeper report again.'],
  ] as const)('finds the last report behind any number of other runs: %s', async (_, failure, state, nextStep) => {
    const folder = folderOf({});
    mkdirSync(join(folder, 'data'));
    const { db } = await freshState(join(folder, 'data', 'state.sqlite'));
    const run = { target: 'sandbox', targetKind: 'sandbox' as const, mode: 'apply', dryRun: false, nowMs: NOW_MS };
    const end = { accounts: 0, rowsRead: 0n, budgetChanges: 0, messagesSent: 0, operations: 0, nowMs: NOW_MS };
    const report = await startRun(db, { ...run, command: 'report' });
    await endRun(db, report, { ...end, state, failures: [failure] });
    for (let extracts = 0; extracts < 51; extracts += 1) {
      await endRun(db, await startRun(db, { ...run, command: 'extract' }), { ...end, state: 'done', failures: [] });
    }
    const lastReport = (await doctor(folder)).of('last report');
    expect(lastReport).toMatchObject({ state: 'warning', next_step: nextStep });
    expect(lastReport?.found).toBe(`${state}, 2026-11-20 12:00 UTC: ${failure}`);
  });

  it('prints everything within 80 columns, with a summary', async () => {
    const { code, stdout } = await runInProcess(['doctor'], { folder: folderOf({}), columns: 80 });
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).toMatch(
      /^ {2}Work +last report +missing {2}none yet\n {4}expected one per day\n {4}next step: Run pacekeeper/m,
    );
    expect(stdout).toMatch(/\n\n\d+ checks: \d+ missing\.\n$/);
  });
});
