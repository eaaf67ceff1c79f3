import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/temp-dir.ts';
import { writeFolder } from '../../support/world.ts';
import { runInProcess } from '../run-in-process.ts';
import { liveService, SMALL, sent } from './service-catalogue.ts';

const RETRY = 'ads: { retry: { attempts: 1 } }\n';

function folderWith(queries: Readonly<Record<string, string>> = {}, config = RETRY): string {
  const folder = tempDir();
  writeFolder(folder, 'queries', queries);
  writeFolder(folder, 'rules', {});
  writeFileSync(join(folder, 'pacekeeper.yaml'), config);
  return folder;
}

const fileIn = (folder: string, version = 'v25') => join(folder, 'data', `catalogue-${version}.json.gz`);
const contentOf = (path: string) => JSON.parse(gunzipSync(readFileSync(path)).toString('utf8'));

describe('catalogue refresh', () => {
  it('writes the catalogue of the sandbox, and check and fields use it', async () => {
    const folder = folderWith({ 'a.sql': 'SELECT campaign.id, campaign.optimization_score FROM campaign' });
    expect((await runInProcess(['check'], { folder })).code).toBe(0);
    const { code, stdout } = await runInProcess(['catalogue', 'refresh'], { folder });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Wrote \S*catalogue-v25\.json\.gz: \d+ resources and \d+ fields of v25, from sandbox \(seed 1\)\.\nRun pacekeeper check\.\n$/,
      ),
    ]);
    expect(readdirSync(join(folder, 'data')).filter((name) => name.includes('catalogue'))).toEqual([
      'catalogue-v25.json.gz',
    ]);
    const { code: refused, stdout: findings } = await runInProcess(['check'], { folder });
    expect([refused, findings]).toEqual([2, expect.stringContaining('"campaign.optimization_score" is not a field')]);
    const fields = await runInProcess(['fields', 'change_event.old_resource'], { folder });
    expect(fields.stdout).toMatch(/accepted in +SELECT\n/);
    expect((await runInProcess(['catalogue', 'refresh'], { folder })).stdout).toMatch(/^Replaced /);
  });

  it('records version, time and the address without credentials', async () => {
    const { env, url } = await liveService([{ results: SMALL, totalResultsCount: '7' }]);
    const folder = folderWith();
    const run = { ...env, ADS_VERSION: 'v26', PACEKEEPER_NOW: '2026-11-20T12:00:00Z' };
    const { code, stdout, stderr } = await runInProcess(['catalogue', 'refresh'], { folder, env: run });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`2 resources and 5 fields of v26, from live (${url}).`);
    const { catalogue, ...origin } = contentOf(fileIn(folder, 'v26'));
    expect(origin).toEqual({
      format: 'pacekeeper catalogue 1',
      target: 'live',
      source: `live (${url})`,
      readAt: expect.stringMatching(/^2026-11-20T12:00:\d\d\.\d{3}Z$/),
    });
    expect(catalogue.name).toBe('v26');
    expect(gunzipSync(readFileSync(fileIn(folder, 'v26'))).toString()).not.toContain('secret');
    expect(statSync(fileIn(folder, 'v26')).mode & 0o022).toBe(0);
  });

  it('says if queries are still checked against another catalogue', async () => {
    const folder = folderWith({}, 'ads: { catalogue: spec }');
    const { stdout } = await runInProcess(['catalogue', 'refresh'], { folder });
    expect(stdout).toContain('Queries are still checked against ads.catalogue: spec. Set it to auto or v25.');
  });

  it('needs a service with this list: the strict sandbox has none', async () => {
    const folder = folderWith({}, `${RETRY}sandbox: { strict: true }`);
    const { code, stderr } = await runInProcess(['catalogue', 'refresh'], { folder });
    expect([code, stderr]).toEqual([1, expect.stringContaining('NOT_FOUND (404)')]);
    expect(existsSync(fileIn(folder))).toBe(false);
  });
});

const many = Array.from({ length: 10_000 }, (_, number) => sent(`campaign.new_${number}`));
const typeUrl = 'google.ads.googleads.v24.enums.CampaignStatusEnum.CampaignStatus';

describe('a refresh that fails says why, and keeps the last catalogue', () => {
  it.each<[sentence: string, answers: readonly (string | object)[], reason: string]>([
    ['page 2 breaks off', [{ results: SMALL, nextPageToken: 'p2' }, 'BREAK'], 'the connection was'],
    ['page 2 is cut', [{ results: SMALL, nextPageToken: 'p2' }, '{"results":['], 'The list of fields is invalid'],
    ['no field', [{}], 'The list of fields is not used, because it lists no field.'],
    [
      'another version',
      [{ results: [...SMALL, sent('campaign.status', { dataType: 'ENUM', typeUrl })] }],
      'because its types are those of v24, expected v25.',
    ],
    ['10,000 unknown fields', [{ results: [...SMALL, ...many] }], 'because 10,000 of its names are unknown here'],
    ['a page that repeats', [{ results: SMALL, nextPageToken: 'p2' }], 'The list of fields repeats a page.'],
    ['fields that repeat', [{ results: [...SMALL, ...SMALL] }], 'because it lists customer twice.'],
    [
      'an HTML page',
      ['<html><title>Sign in</title></html>'],
      'The list of fields is invalid: expected JSON with fields.',
    ],
  ])('%s', async (_, answers, reason) => {
    const folder = folderWith();
    const good = await liveService([{ results: SMALL }]);
    expect((await runInProcess(['catalogue', 'refresh'], { folder, env: good.env })).code).toBe(0);
    const before = readFileSync(fileIn(folder));
    const bad = await liveService(answers);
    const { code, stdout, stderr } = await runInProcess(['catalogue', 'refresh'], { folder, env: bad.env });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain('secret');
    expect(readFileSync(fileIn(folder)).equals(before)).toBe(true);
    expect(readdirSync(join(folder, 'data'))).toEqual(['catalogue-v25.json.gz']);
  });
});

it('faults of the sandbox apply to its list of fields', async () => {
  const folder = folderWith({}, `${RETRY}sandbox: { fault: ['cut,at=fields,nth=2,bytes=100'] }`);
  const { code, stderr } = await runInProcess(['catalogue', 'refresh'], { folder });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: /)]);
  expect(existsSync(fileIn(folder))).toBe(false);
});

describe('check never judges silently by another catalogue', () => {
  const QUERY = { 'a.sql': 'SELECT campaign.id, campaign.name FROM campaign' };
  const check = (folder: string, env: Readonly<Record<string, string>> = {}) =>
    runInProcess(['check'], { folder, env });

  it.each<[sentence: string, bytes: Buffer, reason: string]>([
    ['text', Buffer.from('hello'), 'incorrect header check'],
    ['a cut file', gzipSync('{"format":"x"}').subarray(0, 20), 'unexpected end of file'],
    ['another JSON', gzipSync('{"resources":{}}'), 'its format is unknown'],
    ['another version', gzipSync('{"format":"pacekeeper catalogue 1","catalogue":{"name":"v24"}}'), 'it holds v24'],
    ['half a catalogue', gzipSync('{"format":"pacekeeper catalogue 1","catalogue":{"name":"v25"}}'), ''],
  ])('with a damaged file it exits with 2: %s', async (_, bytes, reason) => {
    const folder = folderWith(QUERY);
    mkdirSync(join(folder, 'data'));
    writeFileSync(fileIn(folder), bytes);
    const { code, stderr } = await check(folder);
    expect(code).toBe(2);
    expect(stderr).toContain(`${fileIn(folder)} cannot be used: ${reason}`);
    expect(stderr).toContain('next step: Run pacekeeper catalogue refresh, or delete the file.');
    const status = await runInProcess(['catalogue', 'status'], { folder });
    expect([status.code, status.stdout]).toEqual([2, expect.stringContaining('cannot be used')]);
    // The remedy works.
    expect((await runInProcess(['catalogue', 'refresh'], { folder })).code).toBe(0);
    expect((await check(folder)).code).toBe(0);
  });

  it('refuses a catalogue of the sandbox if the target is live', async () => {
    const folder = folderWith(QUERY);
    await runInProcess(['catalogue', 'refresh'], { folder });
    const { env } = await liveService(['{}']);
    const { code, stderr } = await check(folder, env);
    expect([code, stderr]).toEqual([2, expect.stringContaining('was read from the sandbox, but the target is live.')]);
  });

  it('warns if there is no catalogue of the version', async () => {
    const { code, stderr } = await check(folderWith(QUERY), { ADS_VERSION: 'v26' });
    expect([code, stderr]).toEqual([
      0,
      'warning: There is no catalogue of v26 (ads.version), so queries are checked against v25. Run pacekeeper catalogue refresh.\n',
    ]);
  });

  it('exits with 2 if ads.catalogue names one that is not there', async () => {
    const { code, stderr } = await check(folderWith(QUERY, 'ads: { catalogue: v24 }'));
    expect([code, stderr]).toEqual([
      2,
      'error: There is no catalogue v24, only v25 (shipped), spec.\nnext step: Run pacekeeper catalogue refresh with ads.version: v24.\n',
    ]);
  });

  it('a run tells the same, and reads with the refreshed catalogue', async () => {
    const folder = folderWith(QUERY);
    const env = { ADS_VERSION: 'v26' };
    const first = await runInProcess(['extract', '--customer', '6193047821'], { folder, env });
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('There is no catalogue of v26')]);
    await runInProcess(['catalogue', 'refresh'], { folder, env });
    const second = await runInProcess(['extract', '--customer', '6193047821'], { folder, env });
    expect([second.code, second.stderr]).toEqual([0, expect.not.stringContaining('There is no catalogue')]);
  });
});

describe('check.unknown_fields', () => {
  const QUERY = { 'a.sql': 'SELECT campaign.id, campaign.quantum_flux_level FROM campaign' };
  const check = (config: string, ...more: string[]) =>
    runInProcess(['check', ...more], { folder: folderWith(QUERY, config) });

  it('warn: lets a query with a new field pass, unless the service refuses it', async () => {
    const offline = await check('check: { unknown_fields: warn }');
    expect(offline).toMatchObject({ code: 0, stdout: expect.stringContaining('1 file, 0 errors, 1 warning, 1 note.') });
    const online = await check('check: { unknown_fields: warn }', '--online');
    expect(online).toMatchObject({ code: 2, stdout: expect.stringContaining('The service says: ') });
  });

  it('error: is the default', async () => {
    expect((await check('')).code).toBe(2);
  });
});
