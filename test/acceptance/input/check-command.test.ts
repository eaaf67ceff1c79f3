import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type ProgramOptions, type ProgramResult, runInProcess } from '../../commands/run-in-process.ts';
import { runCli } from '../../support/run-cli.ts';
import { tempDir } from '../../support/temp-dir.ts';

const GOOD = 'SELECT campaign.id, metrics.clicks FROM campaign WHERE segments.date DURING TODAY\n';
const BAD = 'SELECT campaign.id,\n  metrics.clickz\nFROM campaign\nLIMIT 0\n';

/** A folder with these query files and no rules. */
function folderWith(queries: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = tempDir();
  for (const name of ['queries', 'rules']) mkdirSync(join(folder, name));
  for (const [name, content] of Object.entries(queries)) writeFileSync(join(folder, 'queries', name), content);
  return folder;
}

/** The command in this process, which was not started in that folder: what it shows, seen from there. */
async function checkWith(
  folder: string,
  env: NonNullable<ProgramOptions['env']>,
  ...args: string[]
): Promise<ProgramResult> {
  const { code, stdout, stderr } = await runInProcess(['check', ...args], { folder, env });
  const fromThere = (text: string) => text.replaceAll(`${folder}/`, '');
  return { code, stdout: fromThere(stdout), stderr: fromThere(stderr) };
}

const check = (folder: string, ...args: string[]) => checkWith(folder, {}, ...args);

describe('pacekeeper check', () => {
  it('exits with 0 without findings, and sends and writes nothing', async () => {
    const folder = folderWith({ 'a.sql': GOOD, 'b.gaql': GOOD });
    const { code, stdout, stderr } = await check(folder);
    expect([code, stdout, stderr]).toEqual([0, '2 files, 0 errors, 0 warnings.\n', '']);
    expect(readdirSync(folder).sort()).toEqual(['queries', 'rules']);
  });

  it('exits with 2 on an error, with the line, a caret and a hint for each', async () => {
    const { code, stdout } = await runCli(['check'], { cwd: folderWith({ 'a.sql': BAD }) });
    expect(code).toBe(2);
    expect(stdout).toMatchInlineSnapshot(`
      "queries/a.sql:2:3: error: "metrics.clickz" is not a field of campaign. [UNRECOGNIZED_FIELD]
        2 |   metrics.clickz
          |   ^^^^^^^^^^^^^^
        hint: Did you mean metrics.clicks?

      queries/a.sql:4:7: error: Found "0", expected a whole number from 1 to 2147483647 after LIMIT. [LIMIT_VALUE_TOO_LOW]
        4 | LIMIT 0
          |       ^

      1 file, 2 errors, 0 warnings.
      "
    `);
  });

  it('refuses wrong SQL of a test at its place, a second file of tests, and names no test as a table', async () => {
    const folder = folderWith({
      'a.sql': GOOD,
      'a.tests.yaml':
        'tests:\n  - { not_null: clicks }\n  - { sql: "DELETE FROM a" }\n  - { sql: "SELECT * FROM gone" }\n',
      'a.tests.yml': 'tests: [{ not_null: clicks }]\n',
    });
    const { code, stdout } = await check(folder);
    expect(code).toBe(2);
    expect(stdout).toContain(
      'queries/a.tests.yaml:3:12: error: Found DELETE, expected SELECT or WITH. [MODEL_REFUSED]',
    );
    expect(stdout).toContain('queries/a.tests.yaml:4:12: error: There is no table "gone". [MODEL_UNKNOWN_NAME]');
    expect(stdout).toContain('hint: Known tables: a.\n');
    expect(stdout).toContain('queries/a.tests.yml:1:1: error: Another file already tests the table "a".');
    expect(stdout).toContain('3 files, 3 errors');
  });

  it('exits with 0 on warnings and notes', async () => {
    const { code, stdout } = await check(
      folderWith({ 'a.sql': 'SELECT metrics.clicks FROM campaign WHERE segments.date DURING TODAY LIMIT 5' }),
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/warning: .*\[MISSING_ROW_KEY\]/);
    expect(stdout).toMatch(/note: .*\[LIMITED_TABLE\]/);
    expect(stdout).toMatch(/1 file, 0 errors, 1 warning, 1 note\.\n$/);
  });

  it('notes fields that the sandbox lacks, unless the target is live', async () => {
    const queries = {
      'geo.sql': 'SELECT campaign.id, metrics.clicks FROM location_view',
      'more.sql': 'SELECT campaign.id, metrics.clicks, metrics.interactions, metrics.engagements FROM campaign',
    };
    const folder = folderWith(queries);
    const { code, stdout } = await check(folder, '--format', 'json');
    const found = JSON.parse(stdout).files.map(({ diagnostics }: { diagnostics: Record<string, unknown>[] }) =>
      diagnostics.filter(({ severity }) => severity === 'note'),
    );
    expect({ code, found }).toEqual({
      code: 0,
      found: [
        [
          {
            code: 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE',
            severity: 'note',
            message:
              'The sandbox has no resource "location_view", only keyword_view, campaign, ad_group, ad_group_ad, asset_group, search_term_view, geographic_view, campaign_budget, conversion_action, recommendation, customer_client, currency_constant, label, change_event, customer.',
            hint: 'A live service may have it. Set target: live in pacekeeper.yaml.',
            start: { line: 1, column: 41 },
            end: { line: 1, column: 54 },
          },
        ],
        [
          {
            code: 'UNRECOGNIZED_FIELD',
            severity: 'note',
            message: 'The sandbox does not have metrics.interactions, metrics.engagements for campaign.',
            hint: 'A live service may have them. Set target: live in pacekeeper.yaml.',
            start: { line: 1, column: 37 },
            end: { line: 1, column: 57 },
          },
        ],
      ],
    });
    const ofOne = await check(folder, join(folder, 'queries', 'geo.sql'));
    expect(ofOne.stdout).toContain('note: The sandbox has no resource');
    writeFileSync(
      join(folder, 'pacekeeper.yaml'),
      'target: live\nads: { url: "https://ads.example.com", access_token: t }\n',
    );
    for (const live of [await check(folder), await check(folder, join(folder, 'queries', 'geo.sql'))]) {
      expect([live.code, live.stdout.includes('note')]).toEqual([0, false]);
    }
  });

  it('prints JSON of one shape for programs', async () => {
    const { code, stdout } = await check(folderWith({ 'a.sql': BAD, 'b.sql': GOOD }), '--format', 'json');
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      files: [
        {
          file: 'queries/a.sql',
          diagnostics: [
            {
              code: 'UNRECOGNIZED_FIELD',
              severity: 'error',
              message: '"metrics.clickz" is not a field of campaign.',
              hint: 'Did you mean metrics.clicks?',
              start: { line: 2, column: 3 },
              end: { line: 2, column: 17 },
            },
            {
              code: 'LIMIT_VALUE_TOO_LOW',
              severity: 'error',
              message: 'Found "0", expected a whole number from 1 to 2147483647 after LIMIT.',
              hint: null,
              start: { line: 4, column: 7 },
              end: { line: 4, column: 8 },
            },
          ],
        },
        { file: 'queries/b.sql', diagnostics: [] },
      ],
      errors: 2,
      warnings: 0,
    });
  });

  it('prints workflow commands, one line per finding, for any text', async () => {
    const folder = folderWith({ 'a,b:c%.sql': 'SELECT campaign.id FROM campaign WHERE campaign.name = `50%`' });
    const { stdout } = await check(folder, '--format', 'github');
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^::error file=queries\/a%2Cb%3Ac%25\.sql,line=1,col=\d+,/);
    expect(stdout).toContain('title=BAD_SYMBOL::Found "`50%25`"');
  });

  it('prints the table of each query: columns, types, key, description', async () => {
    const query = '# Spend.\nSELECT campaign.id, metrics.cost_micros AS spent_micros, segments.date FROM campaign\n';
    const folder = folderWith({ 'spend.sql': `${query}WHERE segments.date DURING LAST_7_DAYS` });
    const { code, stdout } = await check(folder, '--schema');
    expect(code).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "queries/spend.sql fills the table spend
        Spend.
        key: customer_id, date, campaign_id

        column        type           from
        customer_id   INTEGER        the account
        campaign_id   INTEGER        campaign.id
        spent_micros  INTEGER        metrics.cost_micros
        spent         DECIMAL(18,6)  metrics.cost_micros / 1000000
        date          DATE           segments.date
        currency      TEXT           the account

      1 file, 0 errors, 0 warnings.
      "
    `);
    const json = await check(folder, '--schema', '--format', 'json');
    expect(JSON.parse(json.stdout).files[0].schema).toMatchObject({
      table: 'spend',
      description: 'Spend.',
      key: ['customer_id', 'date', 'campaign_id'],
      columns: expect.arrayContaining([
        { name: 'spent', type: 'DECIMAL(18,6)', from: 'metrics.cost_micros / 1000000' },
      ]),
    });
  });

  it('explains a code in any case, and suggests the nearest for an unknown one', async () => {
    const folder = tempDir();
    const { code, stdout } = await check(folder, '--explain', 'bad_enum_constant');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^BAD_ENUM_CONSTANT\n {2}Unknown constant\. The field takes .*wrong:\n.*ENABELD\n.*right:\n.*ENABLED\n\n {2}In a rule: .*$/s,
    );
    const unknown = await check(folder, '--explain', 'BAD_ENUM_CONSTANTS');
    expect([unknown.code, unknown.stdout]).toEqual([2, '']);
    expect(unknown.stderr).toContain('Did you mean BAD_ENUM_CONSTANT?');
  });

  it('warns about an unbound parameter, and accepts a given one', async () => {
    const folder = folderWith({ 'a.sql': 'SELECT campaign.id FROM campaign WHERE campaign.id IN (:campaigns)' });
    expect((await check(folder)).stdout).toContain('Set it with --param campaigns=VALUE');
    const given = await check(folder, '--param', 'campaigns=1', '--param', 'campaigns=2');
    expect([given.code, given.stdout]).toEqual([0, '1 file, 0 errors, 0 warnings.\n']);
    const wrong = await check(folder, '--param', 'campaigns=1,2');
    expect(wrong.code).toBe(2);
    expect(wrong.stdout).toContain('Found "1,2" (:campaigns), expected a whole number for campaign.id.');
    expect(wrong.stdout).toContain('Repeat --param campaigns=… for each value.');
    const misspelt = await check(folder, '--param', 'campains=1');
    expect(misspelt.code).toBe(2);
    expect(misspelt.stderr).toContain('No query has the parameter :campains.');
    expect(misspelt.stderr).toContain('Did you mean campaigns?');
  });

  it.each([
    ['a parameter without a value', ['--param', 'campaigns']],
    ['a calendar parameter', ['--param', 'today=2026-01-01']],
    ['an unknown format', ['--format', 'xml']],
  ])('refuses %s with 2', async (_, args) => {
    const { code, stdout, stderr } = await check(folderWith({ 'a.sql': GOOD }), ...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('files that are not queries', () => {
  const NOTHING_READ = ['UNREADABLE_FILE', 1, 1];
  it.each<[string, string | Uint8Array, (string | number)[]]>([
    ['binary', Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0xc0, 0x00]), NOTHING_READ],
    ['with NUL bytes', 'SELECT\u0000campaign.id FROM campaign', NOTHING_READ],
    ['in UTF-16', Buffer.from('\ufeffSELECT campaign.id FROM campaign', 'utf16le'), NOTHING_READ],
    ['in Latin-1', Buffer.from("SELECT campaign.id FROM campaign WHERE campaign.name = 'é'", 'latin1'), NOTHING_READ],
    ['a line of 10 MB', `SELECT ${'campaign.id, '.repeat(800_000)}campaign.id FROM campaign`, NOTHING_READ],
    ['empty', '', ['EXPECTED_SELECT', 1, 1]],
    ['a comment that never ends', '/* SELECT campaign.id FROM campaign', ['COMMENT_NOT_TERMINATED', 1, 1]],
  ])('get a message without a stack: %s', async (_, content, [code, line, column]) => {
    const { code: exit, stdout, stderr } = await check(folderWith({ 'a.sql': content }), '--format', 'json');
    const [file] = JSON.parse(stdout).files;
    expect(exit).toBe(2);
    expect(stderr).toBe('');
    expect(file.diagnostics[0]).toMatchObject({ code, start: { line, column } });
  });

  it('get a message each when named, and the other files are checked', async () => {
    const folder = folderWith({ 'good.sql': GOOD, 'bad.sql': BAD });
    chmodSync(join(folder, 'queries'), 0o755);
    const { code, stdout } = await check(folder, 'queries/none.sql', 'queries', 'queries/good.sql', 'queries/bad.sql');
    expect(code).toBe(2);
    expect(stdout).toContain('queries/none.sql:1:1: error: No such file. [UNREADABLE_FILE]');
    expect(stdout).toContain(
      'queries:1:1: error: Found a folder, expected a file. Name its files, or use --queries or --rules. [UNREADABLE_FILE]',
    );
    expect(stdout).toMatch(/4 files, 4 errors, 0 warnings\.\n$/);
  });

  it('are checked once if named twice, with an ending in any case', async () => {
    const folder = folderWith({ 'a.sql': GOOD, 'b.SQL': BAD });
    const twice = await check(folder, 'queries/a.sql', './queries/a.sql');
    expect([twice.code, twice.stdout]).toEqual([0, '1 file, 0 errors, 0 warnings.\n']);
    expect((await check(folder)).stdout).toMatch(/2 files, 2 errors, 0 warnings\.\n$/);
  });

  it('may be an endless pipe, or have a name with colour codes', async () => {
    const folder = folderWith({ 'a\u001b[31m\n.sql': BAD });
    execFileSync('mkfifo', [join(folder, 'queries', 'pipe.sql')]);
    const { code, stdout } = await check(folder);
    expect(code).toBe(2);
    expect(stdout).toContain('queries/pipe.sql:1:1: error: Found neither a file nor a folder. [UNREADABLE_FILE]');
    expect(stdout).toContain('queries/a·[31m·.sql:2:3: error:');
    expect(stdout).not.toContain('\u001b');
  });

  it('may begin with a byte order mark and have any line ending', async () => {
    const folder = folderWith({
      'a.sql': `\ufeff${GOOD.replaceAll(' ', '\r\n')}`,
      'b.sql': GOOD.replaceAll(' ', '\t'),
    });
    expect((await check(folder)).code).toBe(0);
  });
});

describe('pacekeeper check --fix', () => {
  const LOOSE = '# Spend.\nselect campaign.id,metrics.clicks -- both\nfrom campaign where campaign.status=ENABLED;';
  const LAID_OUT = `# Spend.
SELECT
  campaign.id,
  metrics.clicks -- both
FROM campaign
WHERE campaign.status = ENABLED
`;

  it('writes the canonical layout, keeps comments, and changes nothing the second time', async () => {
    const folder = folderWith({ 'a.sql': LOOSE });
    const first = await check(folder, '--fix');
    expect([first.code, first.stderr]).toEqual([0, 'queries/a.sql: rewritten in the canonical layout\n']);
    expect(readFileSync(join(folder, 'queries/a.sql'), 'utf8')).toBe(LAID_OUT);
    const second = await check(folder, '--fix');
    expect([second.code, second.stderr]).toEqual([0, '']);
  });

  it('repairs names and commas, says what, and leaves other errors', async () => {
    const text = `SELECT campaign.id, -- the key
  metrics.cost_micros AS cost, metrics.video_views,
FROM campaign WHERE segments.date DURING TODAY AND campaign.name REGEXP_MATCH '(a'`;
    const folder = folderWith({ 'a.sql': text });
    const { code, stdout, stderr } = await check(folder, '--fix');
    expect(stderr.split('\n')).toEqual([
      'queries/a.sql:2: the comma before FROM is gone',
      'queries/a.sql:2: cost is now cost_micros',
      'queries/a.sql:2: metrics.video_views is now metrics.video_trueview_views AS video_views',
      'queries/a.sql: rewritten in the canonical layout',
      '',
    ]);
    expect(code).toBe(2);
    expect(stdout).toContain('INVALID_REGULAR_EXPRESSION');
    expect(stdout).toContain('1 file, 1 error, 0 warnings');
    expect(readFileSync(join(folder, 'queries/a.sql'), 'utf8')).toContain(`SELECT
  campaign.id, -- the key
  metrics.cost_micros AS cost_micros,
  metrics.video_trueview_views AS video_views
FROM campaign`);
  });

  it('reports a file with syntax errors and leaves it unchanged', async () => {
    const folder = folderWith({ 'a.sql': 'select campaign.id from campaign limit ten' });
    const { code, stdout, stderr } = await check(folder, '--fix');
    expect(code).toBe(2);
    expect(stderr).toContain('not rewritten: it has errors');
    expect(stdout).toContain('BAD_LIMIT_VALUE');
    expect(readFileSync(join(folder, 'queries/a.sql'), 'utf8')).toBe('select campaign.id from campaign limit ten');
  });

  it('writes named files through links, and keeps mode and line endings', async () => {
    const folder = folderWith({ 'a.sql': LOOSE.replaceAll('\n', '\r\n'), 'b.sql': LOOSE });
    chmodSync(join(folder, 'queries/a.sql'), 0o640);
    symlinkSync('queries/a.sql', join(folder, 'link.sql'));
    await check(folder, '--fix', 'link.sql');
    expect(readFileSync(join(folder, 'queries/a.sql'), 'utf8')).toBe(LAID_OUT.replaceAll('\n', '\r\n'));
    expect(statSync(join(folder, 'queries/a.sql')).mode & 0o777).toBe(0o640);
    expect(readFileSync(join(folder, 'queries/b.sql'), 'utf8')).toBe(LOOSE);
    expect(readdirSync(join(folder, 'queries')).sort()).toEqual(['a.sql', 'b.sql']);
  });
});

describe('pacekeeper check --online', () => {
  it('asks the service, whose answer is final', async () => {
    // The embedded sandbox has fewer fields than the catalogue.
    const folder = folderWith({
      'a.sql': GOOD,
      'b.sql': 'SELECT campaign.id,\n  campaign.serving_status FROM campaign',
    });
    const { code, stdout, stderr } = await check(folder, '--online', '--format', 'json');
    expect(stderr).toMatch(
      /^Checking with sandbox \(seed 1\), account \d+\.\nFor the schedule, the next 24 hours need about \d+ operations \(1 run, 4 accounts\), and more for changes\.\n$/,
    );
    const [a, b] = JSON.parse(stdout).files;
    expect(code).toBe(2);
    expect(a.diagnostics).toEqual([]);
    expect(b.diagnostics).toEqual([
      expect.objectContaining({
        code: 'UNRECOGNIZED_FIELD',
        message: expect.stringMatching(/^The service says: "campaign\.serving_status" is not a field of campaign/),
        start: { line: 2, column: 3 },
        end: { line: 2, column: 26 },
      }),
    ]);
  });

  it('skips queries with unset parameters and continues with the others', async () => {
    const open = 'SELECT campaign.id FROM campaign WHERE campaign.name IN (:names)';
    const folder = folderWith({ 'a.sql': open, 'b.sql': 'SELECT campaign.id, campaign.serving_status FROM campaign' });
    const { code, stdout, stderr } = await check(folder, '--online', '--format', 'json');
    const codes = JSON.parse(stdout).files.map((file: { diagnostics: { code: string }[] }) =>
      file.diagnostics.map((diagnostic) => diagnostic.code),
    );
    expect(codes).toEqual([['UNBOUND_PARAMETER'], ['UNRECOGNIZED_FIELD']]);
    // Which account is asked, the forecast, and the end of the last line.
    expect([code, stderr.split('\n').length]).toEqual([2, 3]);
  });

  it('marks the service’s place, not the first matching letters', async () => {
    const query =
      '-- Reads campaign.serving_status.\nSELECT campaign.id\nFROM campaign\nWHERE campaign.serving_status = SERVING\n';
    const { stdout } = await check(folderWith({ 'a.sql': query }), '--online', '--format', 'json');
    const [diagnostic] = JSON.parse(stdout).files[0].diagnostics;
    expect(diagnostic).toMatchObject({ start: { line: 4, column: 7 }, end: { line: 4, column: 30 } });
    expect(diagnostic.message).toMatch(/The sandbox simulates only part of the API\.$/);
  });

  it('needs a configured service', async () => {
    const folder = folderWith({ 'a.sql': GOOD });
    const env = { PACEKEEPER_TARGET: 'live', MESSAGES_URL: 'https://m.example.com', MESSAGES_ACCOUNT_ID: 'a' };
    const more = {
      MESSAGES_USERNAME: 'u',
      MESSAGES_PASSWORD: 'p',
      MESSAGES_FROM: 'sms:+15550100001',
      MESSAGES_TO: 'sms:+15550100002',
    };
    const { code, stderr } = await checkWith(folder, { ...env, ...more }, '--online');
    expect(code).toBe(2);
    expect(stderr).toContain('The advertising interface is not configured, so the online check cannot run.');
  });

  it('fails with 1 without an answer', async () => {
    const folder = folderWith({ 'a.sql': GOOD });
    writeFileSync(join(folder, 'pacekeeper.yaml'), 'ads: { retry: { attempts: 1 } }\n');
    const env = { PACEKEEPER_TARGET: 'live', ADS_URL: 'http://127.0.0.1:9', ADS_ACCESS_TOKEN: 'secret-token' };
    const { code, stdout, stderr } = await checkWith(folder, env, '--online');
    expect(code).toBe(1);
    expect(stdout + stderr).not.toContain('secret-token');
  });
});

it('checks queries against the specification’s own table on request', async () => {
  const folder = folderWith({ 'a.sql': GOOD });
  writeFileSync(join(folder, 'pacekeeper.yaml'), 'ads: { catalogue: spec }\n');
  const { code, stdout } = await check(folder);
  expect(code).toBe(2);
  expect(stdout).toContain('Unknown resource "campaign".');
});

it.each([
  ['is missing', undefined, 'ENOENT'],
  ['is damaged', 'no gzip', 'Z_DATA_ERROR'],
  ['holds something else', gzipSync('no JSON'), 'DAMAGED'],
])('reports a catalogue that %s in one message', async (_, content, code) => {
  const installed = tempDir();
  for (const name of ['dist', 'package.json']) cpSync(name, join(installed, name), { recursive: true });
  mkdirSync(join(installed, 'catalogue'));
  if (content !== undefined) writeFileSync(join(installed, 'catalogue/v25.json.gz'), content);
  const cwd = folderWith({ 'a.sql': GOOD });
  const { status, stderr } = spawnSync(process.execPath, [join(installed, 'dist/main.js'), 'check'], { cwd });
  expect(status).toBe(1);
  const [sentence, ...rest] = stderr.toString().trimEnd().split('\n');
  expect(sentence).toMatch(
    /^error: The program's own file catalogue\/v25\.json\.gz cannot be read: .*Reinstall the program/,
  );
  expect(sentence).toContain(`(${code})`);
  expect(rest).toEqual([]);
});
