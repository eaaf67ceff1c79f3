import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stubServer } from '../../support/stub-server.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runInProcess } from '../run-in-process.ts';

function folderWith(config: string): string {
  const folder = tempDir();
  writeFileSync(join(folder, 'pacekeeper.yaml'), config);
  return folder;
}

describe('accounts', () => {
  it('B7: lists all accounts that the credentials reach, and does not touch the databases', async () => {
    const folder = tempDir();
    const { code, stdout } = await runInProcess(['accounts'], { folder });
    expect(code).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "  Account     Name                        Currency  Time zone            Status   Through
        4081725530  Alpenkontor Outdoor GmbH    EUR       Europe/Berlin        ENABLED  directly
        6193047821  Pacific Trail Supply, Inc.  USD       America/Los_Angeles  ENABLED  directly
        7350926148  Thames Bicycle Works Ltd    GBP       Europe/London        ENABLED  directly
        9264813507  東京文具店                  JPY       Asia/Tokyo           ENABLED  directly

      4 accounts, 0 managers.
      "
    `);
    expect(existsSync(join(folder, 'data', 'state.sqlite'))).toBe(false);
  });

  it('B7: shows managers, and the manager that gives access to each account', async () => {
    const folder = folderWith('sandbox: { manager: true }');
    const list = async () => JSON.parse((await runInProcess(['accounts', '--format', 'json'], { folder })).stdout);
    const accounts = await list();
    const root = accounts.find(({ manager, through }: { manager: boolean; through: string }) => manager && !through);
    const below = accounts.find(({ manager }: { manager: boolean }) => !manager);
    expect(below).toMatchObject({ through: root.customer_id, excluded: false, failure: null });
    expect(accounts.some(({ status }: { status: string }) => status === 'SUSPENDED')).toBe(true);
  });

  it('reports an unreachable account and an excluded one, and exits with 1', async () => {
    const { url } = await stubServer(({ path }, response) => {
      if (path.endsWith('listAccessibleCustomers')) response.end('{"resourceNames":["customers/12","customers/13"]}');
      else if (path.includes('/12/'))
        response.writeHead(403).end('{"error":{"code":403,"status":"PERMISSION_DENIED","message":"No."}}');
      else response.end('[{"results":[{"customerClient":{"id":"13","status":"ENABLED","currencyCode":"EUR"}}]}]');
    });
    const env = { PACEKEEPER_TARGET: 'live', ADS_URL: url, ADS_ACCESS_TOKEN: 'access-token' };
    const { code, stdout } = await runInProcess(['accounts'], { env: { ...env, ADS_EXCLUDE_CUSTOMER_IDS: '13' } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ {2}12 +could not be read +directly$/m);
    expect(stdout).toMatch(/^ {2}13 +EUR +ENABLED, excluded +directly$/m);
    expect(stdout).toContain('    The advertising interface answered PERMISSION_DENIED (403): No.');
  });
});

it('accounts reports an unknown account id, lists the others and exits with 1', async () => {
  const { url } = await stubServer(({ path }, response) => {
    if (path.endsWith('listAccessibleCustomers'))
      response.end('{"resourceNames":["customers/99999999999999999999","customers/13"]}');
    else response.end('[{"results":[{"customerClient":{"id":"13","status":"ENABLED"}}]}]');
  });
  const env = { PACEKEEPER_TARGET: 'live', ADS_URL: url, ADS_ACCESS_TOKEN: 'access-token' };
  const { code, stdout } = await runInProcess(['accounts'], { env });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^ {2}13 +ENABLED +directly$/m);
  expect(stdout).toMatch(
    /^ {2}99999999999999999999 .*\n {4}the account was left out, because its number does not fit into 64 bits/m,
  );
});

describe('ideas', () => {
  const answering = async (body: string) => {
    const { url, requests } = await stubServer(({ path }, response) =>
      response.end(
        path.endsWith(':generateKeywordIdeas')
          ? body
          : path.endsWith('listAccessibleCustomers')
            ? '{"resourceNames":["customers/13"]}'
            : '[{"results":[{"customerClient":{"id":"13","status":"ENABLED"}}]}]',
      ),
    );
    const env = { PACEKEEPER_TARGET: 'live', ADS_URL: url, ADS_ACCESS_TOKEN: 'access-token' };
    return { requests, run: (...args: string[]) => runInProcess(['ideas', ...args], { env }) };
  };
  const IDEAS = JSON.stringify({
    results: [
      {
        text: 'boots, "red"',
        keywordIdeaMetrics: { avgMonthlySearches: '1200', competition: 'LOW', bidMicros: '650000' },
      },
      { text: '=cmd()' },
    ],
  });

  it('B6: print a table, with amounts in the account currency', async () => {
    const { code, stdout, stderr } = await runInProcess(['ideas', 'sneakers', '--customer', '4081725530']);
    expect(code).toBe(0);
    expect(stderr).toBe('Asking sandbox (seed 1), account 4081725530.\n');
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      '  Keyword          Searches per month  Competition  Low top of page bid  High top of page bid',
      '  sneakers                        390  MEDIUM                  0.65 EUR              1.46 EUR',
    ]);
  });

  it('B6: print amounts without a code if the currency is unknown', async () => {
    const { run } = await answering(IDEAS);
    expect((await run('boots')).stdout).toMatchInlineSnapshot(`
      "  Keyword       Searches per month  Competition   Bid
        boots, "red"               1,200  LOW          0.65
        =cmd()
      "
    `);
  });

  it('B6: print CSV without spreadsheet formulas', async () => {
    const { run } = await answering(IDEAS);
    const { stdout } = await run('boots', '--format', 'csv');
    expect(stdout.split('\r\n')).toEqual([
      [
        '"text"',
        '"avg_monthly_searches"',
        '"competition"',
        '"currency"',
        '"low_top_of_page_bid_micros"',
        '"low_top_of_page_bid"',
        '"high_top_of_page_bid_micros"',
        '"high_top_of_page_bid"',
        '"bid_micros"',
        '"bid"',
      ].join(),
      `"boots, ""red""",1200,"LOW","","","","","",650000,0.65`,
      `"'=cmd()","","","","","","","","",""`,
      '',
    ]);
  });

  it('B6: print the unchanged answer as JSON', async () => {
    const { run } = await answering(IDEAS);
    expect(JSON.parse((await run('boots', '--format', 'json')).stdout)).toEqual(JSON.parse(IDEAS));
  });

  it('B6: print an answer with other fields unchanged, and refuse CSV for it', async () => {
    const { run } = await answering('{"keywords":["boots"]}');
    const table = await run('boots');
    expect(table).toMatchObject({ code: 0, stdout: '{\n  "keywords": [\n    "boots"\n  ]\n}\n' });
    expect(table.stderr).toContain('warning: The answer lacks the documented fields, so it is shown unchanged.');
    expect((await run('boots', '--format', 'csv')).code).toBe(1);
  });

  it('asks a named account even if it was not found', async () => {
    const { run, requests } = await answering(IDEAS);
    await run('boots', '--customer', '99-9');
    expect(requests.at(-1)?.path).toBe('/v25/customers/999:generateKeywordIdeas');
  });

  it.each([
    ['no keyword', [], /missing required argument 'keywords'/],
    ['an empty keyword', ['boots', ' '], /Invalid keyword: found an empty text/],
    ['an account in parentheses', ['boots', '--customer', '(1)'], /found parentheses, expected only digits or dashes/],
  ])('are refused with %s', async (_, args, words) => {
    const { run, requests } = await answering(IDEAS);
    const { code, stderr } = await run(...args);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toMatch(words);
  });
});
