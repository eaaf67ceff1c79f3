import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Ask } from '../../../src/commands/cli/ask.ts';
import type { InitOptions } from '../../../src/commands/init/init-command.ts';
import { runInit } from '../../../src/commands/init/run-init.ts';
import { keyFile } from '../../support/service-account.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runInProcess } from '../run-in-process.ts';

const LIBRARY_FILE = `developer_token: dev-S3Cret
client_id: 12-abc.apps.example.com
client_secret: GOCSPX-S3Cret
refresh_token: 1//S3Cret
login_customer_id: 123-456-7890
use_proto_plus: True
`;

/** A folder with the file, and `init shop` in it. */
async function init(args: readonly string[], file?: string, env: Record<string, string> = {}) {
  const folder = tempDir();
  if (file !== undefined) writeFileSync(join(folder, 'google-ads.yaml'), file);
  const result = await runInProcess(['init', 'shop', '--time-zone', 'Europe/Berlin', ...args], {
    folder,
    env,
    columns: 80,
  });
  const shop = join(folder, 'shop');
  const read = (path: string) => readFileSync(join(shop, path), 'utf8');
  return { ...result, folder, shop, read };
}

/** The files of a folder and below it. */
function filesIn(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}

const queriesIn = (folder: string): string[] =>
  readdirSync(join(folder, 'queries'))
    .filter((name) => name.endsWith('.sql'))
    .sort();

describe('init', () => {
  it('creates a folder that passes check at once, and shows the next commands', async () => {
    const { code, stdout, stderr, shop, read } = await init(['--currency', 'USD']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatchInlineSnapshot(`
      "wrote  shop/pacekeeper.yaml                     settings, target sandbox
      wrote  shop/pacekeeper.schema.json              lets editors complete settings
      wrote  shop/.gitignore                          keeps .env and data/ out of
             version control
      wrote  shop/queries/keyword_stats.sql           a query to read
      wrote  shop/queries/campaign_spend.sql          a query to read
      wrote  shop/queries/campaign.sql                a query to read
      wrote  shop/queries/campaign_budget.sql         a query to read
      wrote  shop/queries/keyword_stats.tests.yaml    what must be so in its table
      wrote  shop/queries/campaign_spend.tests.yaml   what must be so in its table
      wrote  shop/rules/cut-without-conversions.yaml  a rule to evaluate
      wrote  shop/rules/rule.schema.json              lets editors complete rules
      wrote  shop/targets/brand.yaml                  a budget of several accounts

      Next:
        cd shop
        pacekeeper doctor             # checks the setup and the services
        pacekeeper report --dry-run   # reads and evaluates, changes nothing
        pacekeeper report
      "
    `);
    expect(filesIn(shop)).toHaveLength(12);
    expect(read('pacekeeper.yaml')).toMatch(/^# yaml-language-server: \$schema=\.\/pacekeeper\.schema\.json\n/);
    expect(read('pacekeeper.schema.json')).toBe(readFileSync('pacekeeper.schema.json', 'utf8'));
    expect(read('rules/cut-without-conversions.yaml')).toMatch(/^currency: USD$/m);
    expect(read('targets/brand.yaml')).toMatch(/^mode: propose\b/m);
    expect(await runInProcess(['check'], { folder: shop })).toMatchObject({ code: 0, stderr: '' });
  });

  it('writes a rule in suggest mode, whatever the mode of the shipped rule', async () => {
    const { read } = await init([]);
    expect(read('rules/cut-without-conversions.yaml')).toMatch(/^mode: propose\b/m);
  });

  it('takes the credentials of a google-ads.yaml, and writes secrets only to .env', async () => {
    const { code, stdout, shop, read } = await init(['--from', 'google-ads.yaml'], LIBRARY_FILE);
    expect(code).toBe(0);
    expect(statSync(join(shop, '.env')).mode & 0o777).toBe(0o600);
    expect(read('.env').split('\n').slice(1)).toEqual([
      'ADS_DEVELOPER_TOKEN=dev-S3Cret',
      'ADS_CLIENT_SECRET=GOCSPX-S3Cret',
      'ADS_REFRESH_TOKEN=1//S3Cret',
      '',
    ]);
    const others = filesIn(shop).filter((path) => path !== '.env');
    expect([stdout, ...others.map(read)].filter((text) => text.includes('S3Cret'))).toEqual([]);
    const shown = await runInProcess(['config', 'show', '--format', 'json'], { folder: shop });
    expect(
      Object.fromEntries(JSON.parse(shown.stdout).map((one: Record<string, string>) => [one.key, one.value])),
    ).toMatchObject({
      target: 'live',
      'automation.mode': 'propose',
      'ads.url': 'https://googleads.googleapis.com',
      'ads.client_id': '12-abc.apps.example.com',
      'ads.client_secret': 'set (hidden)',
      'ads.login_customer_id': '123-456-7890',
    });
    expect(read('.gitignore').split('\n')).toContain('.env');
  });

  it.each([
    ['relative', (file: string) => basename(file)],
    ['absolute', (file: string) => file],
  ])('takes the service account of a google-ads.yaml with a path that is %s', async (_, pathOf) => {
    const file = keyFile();
    const library = join(dirname(file), 'google-ads.yaml');
    const lines = ['developer_token: d', `json_key_file_path: ${pathOf(file)}`, 'impersonated_email: ann@example.com'];
    writeFileSync(library, lines.join('\n'));
    const { code, shop, read } = await init(['--from', library]);
    expect(code).toBe(0);
    expect(read('.env')).not.toContain('ADS_REFRESH_TOKEN');
    expect(read('pacekeeper.yaml')).toContain(
      `  service_account_file: "${file}"\n  impersonated_email: "ann@example.com"\n`,
    );
    const shown = await runInProcess(['config', 'show'], { folder: shop });
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain(file);
    expect(shown.stdout).not.toContain('PRIVATE KEY');
  });

  it('takes the key file that the client library’s variable names, or the identity of the machine', async () => {
    const file = keyFile();
    const account = await init(['--target', 'live'], undefined, { GOOGLE_ADS_JSON_KEY_FILE_PATH: file });
    expect(account.read('pacekeeper.yaml')).toContain(`  service_account_file: "${file}"\n`);
    const machine = await init(['--from', 'google-ads.yaml'], 'use_application_default_credentials: True\n');
    expect(machine.read('pacekeeper.yaml')).toMatch(/^ {2}machine_identity: /m);
  });

  it('reads the client library’s variables from the environment, and prefers our own', async () => {
    const env = {
      GOOGLE_ADS_CLIENT_ID: 'theirs',
      GOOGLE_ADS_CLIENT_SECRET: 's',
      GOOGLE_ADS_REFRESH_TOKEN: 'r',
      ADS_CLIENT_ID: 'ours',
      SHELL: 'x',
    };
    const { code, read } = await init(['--target', 'live', '--url', 'https://ads.example.com/'], undefined, env);
    expect(code).toBe(0);
    expect(read('pacekeeper.yaml')).toContain('  url: https://ads.example.com\n  client_id: ours\n');
  });

  it('keeps existing files, reports them, and names missing settings', async () => {
    const folder = tempDir();
    const kept = {
      'pacekeeper.yaml': 'sandbox: { seed: 7 }\n',
      '.env': 'ADS_ACCESS_TOKEN=mine\n',
      '.gitignore': 'dist\n',
    };
    for (const [path, text] of Object.entries(kept)) writeFileSync(join(folder, path), text);
    mkdirSync(join(folder, 'queries'));
    writeFileSync(join(folder, 'queries', 'mine.sql'), 'SELECT campaign.id FROM campaign');
    const env = { ADS_URL: 'https://ads.example.com', ADS_ACCESS_TOKEN: 'token-S3Cret' };
    const { code, stdout } = await runInProcess(['init', '--target', 'live', '--time-zone', 'UTC'], {
      folder,
      env,
      columns: 80,
    });
    expect(code).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "kept   pacekeeper.yaml                     already exists
      wrote  pacekeeper.schema.json              lets editors complete settings
      kept   .env                                already exists
      kept   .gitignore                          already exists
      kept   queries/                            has other files
      wrote  rules/cut-without-conversions.yaml  a rule to evaluate
      wrote  rules/rule.schema.json              lets editors complete rules
      Note: .env was kept. Neither .env nor pacekeeper.yaml sets ADS_URL,
        PACEKEEPER_TARGET. Add them to .env by hand.
      Note: .gitignore was kept, but it lacks .env. Add .env to keep secrets out of
        version control.

      Next:
        pacekeeper doctor             # checks the setup and the services
        pacekeeper report --dry-run   # reads and evaluates, changes nothing
        pacekeeper report
      "
    `);
    for (const [path, text] of Object.entries(kept)) expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
    expect(readdirSync(join(folder, 'queries'))).toEqual(['mine.sql']);
  });

  it('reports no missing settings on a second run', async () => {
    const folder = tempDir();
    const env = { ADS_URL: 'https://ads.example.com', ADS_ACCESS_TOKEN: 'token' };
    const first = await runInProcess(['init', '--target', 'live'], { folder, env });
    const second = await runInProcess(['init', '--target', 'live'], { folder, env });
    expect([first.code, second.code, second.stderr]).toEqual([0, 0, '']);
    expect(second.stdout).toContain('kept   .env');
    expect(second.stdout).not.toContain('Note:');
  });

  it('writes all service settings to .env if pacekeeper.yaml exists', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'pacekeeper.yaml'), 'target: sandbox\n');
    const env = { ADS_URL: 'https://ads.example.com', ADS_ACCESS_TOKEN: 'token' };
    await runInProcess(['init', '--target', 'live'], { folder, env });
    const shown = await runInProcess(['config', 'show'], { folder });
    expect(shown.stdout).toMatch(/target\s+live\s+\.env PACEKEEPER_TARGET/);
    expect(shown.stdout).toMatch(/ads\.url\s+https:\/\/ads\.example\.com\s+\.env ADS_URL/);
  });

  it('mentions a google-ads.yaml that it was not asked to read, and does not read it', async () => {
    const { code, stdout, shop } = await init([], LIBRARY_FILE);
    expect(code).toBe(0);
    expect(stdout.replace(/\s+/g, ' ')).toContain('were not read. Use --target live --from');
    expect(existsSync(join(shop, '.env'))).toBe(false);
  });

  it.each([
    ['a missing file', ['--from', 'nowhere.yaml'], undefined, /Cannot read .*nowhere\.yaml: no such file\./],
    ['no credentials', ['--target', 'live'], undefined, /No credentials for a live service: expected --from/],
    [
      'an address without credentials',
      ['--url', 'https://ads.example.com'],
      undefined,
      /No credentials for a live service/,
    ],
    [
      'an invalid YAML file',
      ['--from', 'google-ads.yaml'],
      'client_secret: "S3Cret',
      /Cannot read .*google-ads\.yaml: line 1: A text begins with " but does not end with it/,
    ],
    ['a list', ['--from', 'google-ads.yaml'], '- S3Cret', /Cannot read .*google-ads\.yaml: line 1: Found a list/],
    [
      'a file without client_secret',
      ['--from', 'google-ads.yaml'],
      'client_id: S3Cret\nrefresh_token: S3Cret',
      /lacks client_secret, expected client_id, client_secret and refresh_token, or json_key_file_path\./,
    ],
    [
      'the template of the library',
      ['--from', 'google-ads.yaml'],
      LIBRARY_FILE.replace('dev-S3Cret', 'INSERT_DEVELOPER_TOKEN_HERE'),
      /still has the template text for developer_token/,
    ],
    [
      'a service account without its key file',
      ['--from', 'google-ads.yaml'],
      'developer_token: S3Cret\njson_key_file_path: none.json',
      /ADS_SERVICE_ACCOUNT_FILE names .*none\.json: found no such file/,
    ],
    [
      'an invalid time zone',
      ['--time-zone', 'Berlin'],
      undefined,
      /Invalid --time-zone: found "Berlin"\. Expected a time zone such as Europe\/Berlin\./,
    ],
    [
      'an invalid currency',
      ['--currency', 'EUT'],
      undefined,
      /Invalid --currency: found "EUT"\. Expected a currency code such as EUR\./,
    ],
    [
      'an address that a run would refuse',
      ['--from', 'google-ads.yaml'],
      `${LIBRARY_FILE}endpoint: http://ads.example.com`,
      /Found text for ADS_URL, expected/,
    ],
  ])('refuses %s, and writes nothing', async (_, args, file, expected) => {
    const { code, stdout, stderr, shop } = await init(args, file);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(expected);
    expect(stderr).toMatch(/next step: .*(Nothing was written|No request was sent)\./);
    expect(stderr).not.toContain('S3Cret');
    expect(existsSync(shop)).toBe(false);
  });

  it('suggests the nearest key for an unknown one in google-ads.yaml, and never shows its value', async () => {
    const { stdout } = await init(
      ['--from', 'google-ads.yaml'],
      `${LIBRARY_FILE}login_costumer_id: S3Cret\njson_key_file_path: S3Cret\n`,
    );
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'has an unknown key, which is ignored. Did you mean login_customer_id?',
    );
    expect(stdout.replace(/\s+/g, ' ')).toContain('The service account is ignored, because the refresh token is used.');
    expect(stdout).not.toContain('S3Cret');
  });

  it('refuses the name of an existing file', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'shop'), '');
    const { code, stderr } = await runInProcess(['init', 'shop'], { folder });
    expect(code).toBe(2);
    expect(stderr).toMatch(/found a file at .*shop, expected a folder or nothing\./);
  });
});

describe('init on a terminal', () => {
  /** Answers in order; what is asked is kept. */
  function answering(answers: readonly unknown[]) {
    const asked: string[] = [];
    const offered: { readonly value: string; readonly name: string }[] = [];
    const next = async (message: string): Promise<never> => {
      asked.push(message);
      if (asked.length > answers.length) throw Object.assign(new Error('no more'), { name: 'ExitPromptError' });
      return answers[asked.length - 1] as never;
    };
    const chooseSome: Ask['chooseSome'] = (message, choices) => {
      offered.push(...choices);
      return next(message);
    };
    return { asked, offered, choose: next, chooseSome, text: next, secret: next, confirm: next };
  }

  async function ask(answers: readonly unknown[], options: InitOptions = {}) {
    const folder = tempDir();
    const output = { stdout: { write: () => undefined }, stderr: { write: () => undefined }, noColor: true };
    const person = answering(answers);
    const process = {
      folder,
      env: {},
      output,
      userName: undefined,
      interactive: true,
      exit: () => undefined,
      runBeside: () => ({ ended: Promise.resolve(null), stop: () => undefined }),
      readBeside: async () => ({ exitCode: null, text: '' }),
      onStop: () => undefined,
    };
    const done = runInit({ ...process, makeAsk: async () => person }, options);
    return { folder, asked: person.asked, offered: person.offered, done };
  }

  it('asks only the necessary questions for the sandbox', async () => {
    const { folder, asked, done } = await ask(['sandbox', 'USD', 'America/New_York', []]);
    await done;
    expect(asked).toHaveLength(4);
    expect(queriesIn(folder)).toHaveLength(4);
    expect(readFileSync(join(folder, 'pacekeeper.yaml'), 'utf8')).toContain('time_zone: America/New_York');
  });

  it('offers the ready-made queries with a line each, and writes the chosen ones', async () => {
    const { folder, offered, done } = await ask(['sandbox', 'EUR', 'UTC', ['search_terms', 'ads']]);
    await done;
    expect(offered.length).toBeGreaterThanOrEqual(25);
    expect(offered).toContainEqual({
      value: 'ads',
      name: 'ads                     Ads with type and strength.',
    });
    expect(offered.map(({ value }) => value)).not.toContain('keyword_stats');
    expect(queriesIn(folder)).toEqual(
      ['ads', 'campaign', 'campaign_budget', 'campaign_spend', 'keyword_stats', 'search_terms'].map(
        (name) => `${name}.sql`,
      ),
    );
  });

  it('does not ask for queries that the command line names', async () => {
    const { folder, asked, done } = await ask(['sandbox', 'EUR', 'UTC'], { query: ['ads'] });
    await done;
    expect(asked).toHaveLength(3);
    expect(queriesIn(folder)).toHaveLength(5);
  });

  it('asks for the login to a live service', async () => {
    const answers = [
      'live',
      'https://ads.example.com',
      'refresh',
      'id',
      'the-secret',
      'the-refresh',
      true,
      'the-developer',
      'EUR',
      'UTC',
      [],
    ];
    const { folder, asked, done } = await ask(answers);
    await done;
    expect(asked).toHaveLength(answers.length);
    expect(readFileSync(join(folder, '.env'), 'utf8')).toContain(
      'ADS_CLIENT_SECRET=the-secret\nADS_REFRESH_TOKEN=the-refresh\n',
    );
  });

  it.each([
    ['account', () => [keyFile()], /^ {2}service_account_file: /m],
    ['machine', () => [], /^ {2}machine_identity: /m],
  ])('asks for nothing secret if the login is: %s', async (kind, more: () => string[], expected) => {
    const answers = ['live', 'https://ads.example.com', kind, ...more(), false, 'EUR', 'UTC', []];
    const { folder, asked, done } = await ask(answers);
    await done;
    expect(asked).toHaveLength(answers.length);
    expect(readFileSync(join(folder, 'pacekeeper.yaml'), 'utf8')).toMatch(expected);
    expect(existsSync(join(folder, '.env'))).toBe(false);
  });

  it('writes nothing when the person cancels', async () => {
    const { folder, done } = await ask(['live', 'https://ads.example.com']);
    await expect(done).rejects.toThrow('Cancelled before all questions were answered.');
    expect(readdirSync(folder)).toEqual([]);
  });
});
