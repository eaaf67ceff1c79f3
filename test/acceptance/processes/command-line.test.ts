import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ProgramOptions, type ProgramResult, runInProcess } from '../../commands/run-in-process.ts';
import { isThorough } from '../../support/effort.ts';
import { type CliResult, runCli } from '../../support/run-cli.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIM_QUERIES, TRIM_RULES } from '../../support/trim-rule.ts';
import { writeFolder } from '../../support/world.ts';

/** A folder with the shipped queries and rules. */
function shippedFolder(folder = tempDir()): string {
  for (const name of ['queries', 'rules']) cpSync(resolve(name), join(folder, name), { recursive: true });
  return folder;
}

/** A folder in which a run changes a budget. Quick: by a query of one campaign, because 85,000 rows take seconds. */
function changingFolder(): string {
  if (isThorough) return shippedFolder();
  const folder = tempDir();
  // Just after midnight the last day is not settled, and a rule over 7 days needs one more.
  writeFolder(folder, 'queries', { 'stats.sql': TRIM_QUERIES['stats.sql'].replace('LAST_7_DAYS', 'LAST_14_DAYS') });
  // Clicks are cheaper on other days of the year.
  const rule = TRIM_RULES['trim.yaml'].replace('clicks >= 30 AND cost / clicks > 2.50', 'clicks >= 1');
  writeFolder(folder, 'rules', { 'trim.yaml': rule });
  return folder;
}

/** One account is enough where nothing is said of several, and is quicker. */
const ONE = ['--customer', '408-172-5530'];

const run = (args: readonly string[], folder: string, env: ProgramOptions['env'] = {}) =>
  runInProcess(args, { folder, env });

/** The built program in a process of its own, which is what people start. */
const start = (args: readonly string[], cwd: string, env: ProgramOptions['env'] = {}) => runCli(args, { cwd, env });

/** A run that needed no setting changed a budget and told somebody. */
function expectChange({ code, stdout }: Pick<ProgramResult, 'code' | 'stdout'> | CliResult): void {
  expect(code).toBe(0);
  expect(stdout).toMatch(/Changed\n {2}B1 {2}\S.* \(campaign \d+\): \d+\.\d\d to \d+\.\d\d [A-Z]{3}\n {4}\S+: \S/);
  expect(stdout).toMatch(/Done: [\d,]+ rows read, \d+ budgets? changed, \d+ alerts? sent(?: in 1 message)?\.\n/);
  expect(stdout).toMatch(/\nReport page: data\/report\.html\. Tables for SQL: data\/warehouse\.sqlite\.\n$/);
}

describe('pacekeeper report with the shipped files, started by a person', () => {
  let folder: string;
  let ended: CliResult;
  // Once for all: a run of every account takes seconds.
  beforeAll(async () => {
    folder = shippedFolder(mkdtempSync(join(tmpdir(), 'pacekeeper-test-')));
    ended = await start(['report'], folder, { PACEKEEPER_NOW: '2026-11-20T12:00:00Z' });
    return () => rmSync(folder, { recursive: true, force: true });
  });

  it('needs no setting, exits with 0 and changes a budget with a reason and an alert', () => expectChange(ended));

  it('prints data to stdout, one line of progress to stderr, and no escape sequence without a terminal', () => {
    const { stdout, stderr } = ended;
    expect(stdout).not.toContain('\u001b');
    expect(stderr).not.toContain('\u001b');
    expect(stdout).not.toContain('Read: ');
    expect(stderr.trimEnd()).toMatch(/^Read: 4 of 4 accounts, (\d+) of \1 slices, [\d,]+ rows in \d+ s$/);
  });

  it('leaves only these files after one run', () => {
    expect(readdirSync(join(folder, 'data')).sort()).toEqual([
      'lock.sqlite',
      'metadata.json',
      'report.html',
      'runs',
      'sandbox.sqlite',
      'state.sqlite',
      'warehouse.sqlite',
    ]);
  });
});

describe('pacekeeper report on the embedded sandbox', () => {
  it('changes a budget without a setting on a day when the clocks change', async () => {
    const now = { PACEKEEPER_NOW: '2026-03-29T01:30:00Z' };
    expectChange(await run(['report', ...ONE], changingFolder(), now));
  });

  it('prints one JSON object with the same facts on request, on a leap day too', async () => {
    const leapDay = { PACEKEEPER_NOW: '2024-02-29T23:50:00Z' };
    const { code, stdout } = await run(['report', '--format', 'json'], changingFolder(), leapDay);
    const report = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(report.run).toMatchObject({ target: 'sandbox (seed 1)', mode: 'apply', dry_run: false, exit_code: 0 });
    expect(report.accounts).toHaveLength(4);
    expect(report.decisions.map(({ state }: { state: string }) => state)).toContain('applied');
    expect(report.failures).toEqual([]);
  });

  it('evaluates earlier data without reading again', async () => {
    const folder = changingFolder();
    await run(['report', '--dry-run', ...ONE], folder);
    const { stdout } = await run(['report', '--no-extract', '--format', 'json', ...ONE], folder);
    const report = JSON.parse(stdout);
    expect(report.slices).toEqual([]);
    expect(report.decisions.map(({ state }: { state: string }) => state)).toContain('applied');
  });

  it('reports that nothing can be evaluated before the first read', async () => {
    const { code, stdout } = await run(['report', '--no-extract', '--verbose'], shippedFolder());
    expect(code).toBe(0);
    expect(stdout).toContain('keyword_stats has no complete data for');
  });

  it('uses queries, accounts and folders by name', async () => {
    const folder = shippedFolder();
    const options = ['--query', 'campaign_budget', '--customer', '408-172-5530', '--data-dir', 'elsewhere'];
    const { code, stdout } = await run(['report', ...options, '--format', 'json'], folder);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).slices).toEqual([
      expect.objectContaining({ query: 'campaign_budget', customer_id: '4081725530' }),
    ]);
    expect(existsSync(join(folder, 'elsewhere', 'warehouse.sqlite'))).toBe(true);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it('replays real history as one account, exactly, and says that its cost is simulated', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'queries'));
    mkdirSync(join(folder, 'rules'));
    const query = readFileSync('queries/keyword_stats.sql', 'utf8');
    const window = "BETWEEN '2013-01-01' AND '2013-01-03'";
    writeFileSync(join(folder, 'queries', 'keyword_stats.sql'), query.replace('DURING LAST_30_DAYS', window));
    const history =
      'date,keyword_id,impressions,clicks\n2013-01-01,5,10,1\n2013-01-02,5,20,2\n2013-01-02,7,30,0\n2013-01-04,5,9,9\n';
    writeFileSync(join(folder, 'history.csv.gz'), gzipSync(history));
    const env = { PACEKEEPER_NOW: '2013-02-01T12:00:00Z', PACEKEEPER_MARKET: 'history.csv.gz' };
    const { code, stdout } = await run(['report'], folder, env);
    expect(code).toBe(0);
    expect(stdout).toContain('All costs shown are simulated');
    const file = new Database(join(folder, 'data', 'warehouse.sqlite'), { readonly: true });
    expect(
      file
        .prepare('SELECT count(*) AS rows, sum(impressions) AS impressions, sum(clicks) AS clicks FROM keyword_stats')
        .all(),
    ).toEqual([{ rows: 3, impressions: 60, clicks: 3 }]);
    file.close();
  });
});

describe('bad input ends with 2 and does nothing', () => {
  it('shows every mistake of every file with its place, and sends nothing', async () => {
    const folder = shippedFolder();
    writeFileSync(
      join(folder, 'queries', 'broken.sql'),
      'SELECT campaign.idd, metrics.clicks\nFROM keyword_vew\nWHERE segments.date DURING LAST_8_DAYS\n',
    );
    writeFileSync(
      join(folder, 'rules', 'broken.yaml'),
      'description: x\nfrom: keyword_stats\nfor: campaign\nover: 7 days\nwhen: clics > 3\nchange: decrease budget by 200%\nlimits: { step: 20% }\n',
    );
    const { code, stdout, stderr } = await start(['report'], folder);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatchInlineSnapshot(`
      "queries/broken.sql:1:8: error: "campaign.idd" is not a field. [UNRECOGNIZED_FIELD]
        1 | SELECT campaign.idd, metrics.clicks
          |        ^^^^^^^^^^^^
        hint: Did you mean campaign.id?

      queries/broken.sql:2:6: error: Unknown resource "keyword_vew". [BAD_RESOURCE_TYPE_IN_FROM_CLAUSE]
        2 | FROM keyword_vew
          |      ^^^^^^^^^^^
        hint: Did you mean keyword_view?

      queries/broken.sql:3:28: error: Unknown period "LAST_8_DAYS" after DURING. [INVALID_VALUE_WITH_DURING_OPERATOR]
        3 | WHERE segments.date DURING LAST_8_DAYS
          |                            ^^^^^^^^^^^
        hint: Did you mean LAST_7_DAYS, LAST_14_DAYS or LAST_30_DAYS?

      rules/broken.yaml:5:7: error: Unknown column "clics". [UNRECOGNIZED_FIELD]
        5 | when: clics > 3
          |       ^^^^^
        hint: Did you mean clicks?

      rules/broken.yaml:6:28: error: A decrease by 100% or more leaves no budget. [BAD_VALUE]
        6 | change: decrease budget by 200%
          |                            ^^^^
      error: 2 files have errors. Nothing was sent.
      next step: Correct the places above, then run pacekeeper check.
      "
    `);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it.each<[sentence: string, args: string[], env: Record<string, string>, words: RegExp]>([
    ['an unknown option', ['report', '--cusomer', '1'], {}, /unknown option '--cusomer'/],
    [
      'parentheses in a customer id',
      ['report', '--customer', '(123)'],
      {},
      /Invalid customer id "\(123\)": found parentheses, expected only digits or dashes/,
    ],
    [
      'an account that is not there',
      ['report', '--customer', '999'],
      {},
      /No such account: 999\. Accessible accounts: \d+/,
    ],
    ['a query that is not there', ['report', '--query', 'nope'], {}, /Unknown query: found nope, expected one of /],
    ['a configuration that is not there', ['report', '--config', 'nope.yaml'], {}, /nope\.yaml cannot be read/],
    ['a folder that is not there', ['report', '--queries', 'nope'], {}, /The folder \S*nope does not exist/],
    ['a target that does not exist', ['report'], { PACEKEEPER_TARGET: 'prod' }, /expected one of sandbox, live/],
    [
      'a date that no calendar has',
      ['report'],
      { PACEKEEPER_NOW: '9999-12-31T23:00:00Z' },
      /expected a year from 1970 to 8999/,
    ],
    [
      'a data folder that is a file',
      ['report', '--data-dir', 'queries/keyword_stats.sql'],
      {},
      /cannot be used as a database/,
    ],
    [
      'a customer id beyond int64',
      ['report', '--customer', '9999999999999999999'],
      {},
      /Invalid customer id "9999999999999999999": expected digits such as/,
    ],
    ['an invalid clock', ['report'], { PACEKEEPER_NOW: 'noon' }, /expected an instant such as/],
    [
      'half a live configuration',
      ['report'],
      { PACEKEEPER_TARGET: 'live', ADS_URL: 'https://ads.example.com' },
      /ADS_ACCESS_TOKEN is missing/,
    ],
    [
      'a client secret instead of a token',
      ['report'],
      { PACEKEEPER_TARGET: 'live', ADS_URL: 'https://ads.example.com', ADS_ACCESS_TOKEN: 'GOCSPX-abcdef' },
      /ADS_ACCESS_TOKEN is a client secret, expected an OAuth 2\.0 access token/,
    ],
    ['a missing market file', ['report'], { PACEKEEPER_MARKET: 'nope.csv' }, /nope\.csv/],
  ])('%s: a message and a next step', async (_sentence, args, env, words) => {
    const { code, stdout, stderr } = await run(args, shippedFolder(), env);
    expect(stderr).toMatch(words);
    expect(stderr).toContain('next step: ');
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  it('an unreadable configuration, with line and column', async () => {
    const folder = shippedFolder();
    writeFileSync(join(folder, 'pacekeeper.yaml'), 'target: sandbox\nads: [\n');
    const { code, stderr } = await run(['report'], folder);
    expect(code).toBe(2);
    expect(stderr).toMatch(/pacekeeper\.yaml:\d+:\d+: error: /);
  });

  it('a rule with an amount but no currency, for accounts in several currencies', async () => {
    const folder = shippedFolder();
    const rule = readFileSync('rules/cut-without-conversions.yaml', 'utf8').replace('currency: EUR\n', '');
    writeFileSync(join(folder, 'rules', 'cut-without-conversions.yaml'), rule);
    const { code, stderr } = await run(['report'], folder);
    expect(code).toBe(2);
    expect(stderr.replace(`${folder}/`, '')).toMatch(
      /^rules\/cut-without-conversions\.yaml:8:35: error: The rule has an amount without a currency, but the accounts use EUR, GBP, JPY and USD\./,
    );
    expect(stderr).toContain(
      'error: cut-without-conversions: found an amount without a currency, expected a currency, because the accounts use several.\nnext step: ',
    );
    expect(existsSync(join(folder, 'data', 'warehouse.sqlite'))).toBe(false);
  });

  it('an unreadable market leaves the data folder free for others', async () => {
    const folder = shippedFolder();
    const read = ['extract', '--query', 'campaign_budget', ...ONE];
    expect((await run(read, folder, { PACEKEEPER_MARKET: 'nope.csv' })).code).toBe(2);
    expect((await run(read, folder)).code).toBe(0);
  });

  it('a data folder of another target, with a next step', async () => {
    const folder = shippedFolder();
    await run(['extract', '--query', 'campaign_budget', ...ONE], folder);
    writeFileSync(join(folder, 'pacekeeper.yaml'), 'sandbox: { seed: 2 }\n');
    const { code, stderr } = await run(['report'], folder);
    expect(code).toBe(2);
    expect(stderr).toMatch(/belongs to sandbox \(seed 1\), but this run is for sandbox \(seed 2\)/);
    expect(stderr).toContain('--data-dir');
  });
});

describe('pacekeeper check', () => {
  it('accepts the shipped files', async () => {
    const { code, stdout } = await run(['check'], shippedFolder());
    const shipped = ['queries', 'rules']
      .flatMap((place) => readdirSync(place))
      .filter((name) => /\.(sql|yaml)$/.test(name));
    expect(stdout).toBe(`${shipped.length} files, 0 errors, 0 warnings.\n`);
    expect(code).toBe(0);
  });

  it('checks the given files, and rules against the tables of the queries folder', async () => {
    const folder = shippedFolder();
    writeFileSync(join(folder, 'draft.sql'), 'SELECT metrics.clicks FROM keyword_view LIMIT 0');
    const { code, stdout } = await run(['check', 'draft.sql', 'rules/feed-limited-winners.yaml'], folder);
    expect(stdout).toContain('draft.sql:1:47: error: ');
    expect(stdout).toContain('2 files, 1 error, 0 warnings.');
    expect(code).toBe(2);
  });
});

describe('every command', () => {
  it.each(['report', 'check', 'publish', 'sandbox'])('%s --help has examples', async (command) => {
    const { code, stdout } = await run([command, '--help'], tempDir());
    expect(code).toBe(0);
    for (const option of ['--config', '--queries', '--rules', '--data-dir']) expect(stdout).toContain(option);
    expect(stdout).toContain('Examples:');
  });

  it('is listed by --help, and --version is the package’s version', async () => {
    const { stdout } = await run(['--help'], tempDir());
    for (const command of ['report', 'check', 'sandbox']) expect(stdout).toContain(`  ${command}`);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect((await start(['--version'], tempDir())).stdout).toBe(`${version}\n`);
  });
});
