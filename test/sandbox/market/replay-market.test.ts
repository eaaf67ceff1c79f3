import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InputError } from '../../../src/domain/errors.ts';
import { freshSandbox, mutate, rowsOf, setAmount } from '../sandbox-client.ts';

const ACCOUNT = '9000000001';
const YEAR = "segments.date BETWEEN '2025-01-01' AND '2025-12-31'";

function marketFile(name: string, content: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'market-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

/** 60 keywords on 20 days, newest day first. */
function plainRows(): string {
  const lines = ['date,keyword_id,impressions,clicks'];
  for (let day = 20; day >= 1; day -= 1) {
    for (let keyword = 0; keyword < 60; keyword += 1) {
      lines.push(`2025-05-${String(day).padStart(2, '0')},${2_000_000 + keyword},${keyword + day},${keyword % 7}`);
    }
  }
  return lines.join('\n');
}

const FIELDS =
  'campaign.name, ad_group.name, ad_group_criterion.criterion_id, ad_group_criterion.keyword.text, ad_group_criterion.keyword.match_type, metrics.impressions, metrics.clicks, metrics.cost_micros, segments.date';

describe('a market file', () => {
  it('deals keywords over campaigns and simulates costs, if it has only the required columns', async () => {
    const file = marketFile('days.csv', plainRows());
    const sandbox = await freshSandbox({ marketFile: file });
    expect(sandbox.market).toMatchObject({
      identity: 'market days.csv',
      simulatedCost: true,
      accounts: [{ customerId: ACCOUNT, currency: 'EUR', timeZone: 'Europe/Berlin' }],
    });
    expect(sandbox.market.accounts[0]?.budgets).toHaveLength(12);
    const rows = await rowsOf(sandbox, ACCOUNT, `SELECT ${FIELDS} FROM keyword_view WHERE ${YEAR}`);
    expect(rows).toHaveLength(1_200);
    const days = rows.map(({ segments }) => segments.date);
    expect(days).toEqual([...days].sort());
    expect(rows[0]).toMatchObject({
      campaign: { name: 'Campaign 01' },
      adGroup: { name: 'Ad group 1' },
      adGroupCriterion: { criterionId: '2000000', keyword: { text: 'keyword 2000000', matchType: 'BROAD' } },
      metrics: { impressions: '1', clicks: '0', costMicros: '0' },
      segments: { date: '2025-05-01' },
    });
    const [total] = await rowsOf(
      sandbox,
      ACCOUNT,
      `SELECT metrics.impressions, metrics.clicks, metrics.cost_micros FROM customer WHERE ${YEAR}`,
    );
    expect(total.metrics.impressions).toBe('48000');
    expect(Number(total.metrics.costMicros) % 10_000).toBe(0);
    expect(Number(total.metrics.costMicros) / Number(total.metrics.clicks)).toBeGreaterThan(200_000);
  });

  it('gives the same rows gzipped, in another order and under a name without .gz', async () => {
    const [header, ...rest] = plainRows().split('\n');
    const files = [
      marketFile('days.csv', plainRows()),
      marketFile('days.csv.gz', gzipSync(plainRows())),
      marketFile('days.bin', gzipSync([header, ...rest.reverse()].join('\r\n'))),
    ];
    const answers = [];
    for (const file of files) {
      const sandbox = await freshSandbox({ marketFile: file });
      const query = `SELECT ${FIELDS} FROM keyword_view WHERE ${YEAR} ORDER BY segments.date, ad_group_criterion.criterion_id`;
      answers.push({ rows: await rowsOf(sandbox, ACCOUNT, query), budgets: sandbox.market.accounts[0]?.budgets });
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it('keeps given campaigns, texts and costs exact, and adds up repeated rows', async () => {
    const file = marketFile(
      'full.csv',
      [
        '\uFEFFDate,Campaign,ad_group,keyword_id,Text,match_type,impressions,clicks,cost',
        '2025-05-01,"Zelte, ""Öko""",Zelt,7,zelt kaufen,exact,100,3,4.500001',
        '2025-05-01,"Zelte, ""Öko""",Zelt,7,zelt kaufen,exact,11,1,0.1',
        '2025-05-02,Schuhe,Schuh,7,schuh,,5,1,1',
        '',
      ].join('\r\n'),
    );
    const sandbox = await freshSandbox({ marketFile: file });
    expect(sandbox.market.simulatedCost).toBe(false);
    const rows = await rowsOf(sandbox, ACCOUNT, `SELECT ${FIELDS} FROM keyword_view WHERE ${YEAR}`);
    expect(rows).toMatchObject([
      {
        campaign: { name: 'Zelte, "Öko"' },
        adGroupCriterion: { criterionId: '7', keyword: { text: 'zelt kaufen', matchType: 'EXACT' } },
        metrics: { impressions: '111', clicks: '4', costMicros: '4600001' },
      },
      { campaign: { name: 'Schuhe' }, adGroupCriterion: { criterionId: '7', keyword: { matchType: 'BROAD' } } },
    ]);
    // 4.600001 over two days, a fifth more, rounded up to whole euros.
    const amounts = sandbox.market.accounts[0]?.budgets.map(({ amountMicros }) => amountMicros);
    expect(amounts).toEqual([1_000_000n, 3_000_000n]);
  });

  it('stays the same when a budget changes', async () => {
    const sandbox = await freshSandbox({ marketFile: marketFile('days.csv', plainRows()) });
    const query = `SELECT ${FIELDS} FROM keyword_view WHERE ${YEAR}`;
    const before = await rowsOf(sandbox, ACCOUNT, query);
    const { budgetId = '' } = sandbox.market.accounts[0]?.budgets[0] ?? {};
    const answer = await mutate(sandbox, ACCOUNT, { operations: [setAmount(ACCOUNT, budgetId, '10000')] });
    expect(answer.status).toBe(200);
    expect(sandbox.budgetAmount(ACCOUNT, budgetId)).toBe(10_000n);
    expect(await rowsOf(sandbox, ACCOUNT, query)).toEqual(before);
  });
});

describe('a bad market file', () => {
  const messageFor = async (name: string, content: string | Buffer): Promise<string> => {
    const file = marketFile(name, content);
    const error = await freshSandbox({ marketFile: file }).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    expect(error).toBeInstanceOf(InputError);
    const { message, nextStep } = error as InputError;
    expect(nextStep).toContain('date, keyword_id, impressions, clicks');
    return message.replaceAll(file, name);
  };

  it.each([
    [
      'a missing column',
      'date,keyword_id,clicks\n2025-05-01,1,1',
      'days.csv:1: found the columns date, keyword_id, clicks, expected impressions too',
    ],
    ['no content', '', 'days.csv:1: found an empty file, expected a header'],
    [
      'no rows',
      'date,keyword_id,impressions,clicks\n',
      'days.csv:2: found no rows after the header, expected at least one',
    ],
    [
      'a truncated row',
      'date,keyword_id,impressions,clicks\n2025-05-01,1,1',
      'days.csv:2: found nothing as clicks, expected a whole number up to 2147483647',
    ],
    [
      'a bad match type',
      'date,keyword_id,impressions,clicks,match_type\n2025-05-01,1,1,1,FUZZY',
      'days.csv:2: found "FUZZY" as match_type, expected EXACT, PHRASE or BROAD',
    ],
    [
      'a bad cost',
      'date,keyword_id,impressions,clicks,cost\n2025-05-01,1,1,1,"1,5"',
      'days.csv:2: found "1,5" as cost, expected a decimal amount such as 12.34',
    ],
    [
      'total costs beyond int64',
      `date,keyword_id,impressions,clicks,cost\n${'2025-05-01,1,1,1,999999999999\n'.repeat(10)}`,
      'days.csv:1: found total costs above',
    ],
  ])('names file and line for %s', async (_, content, expected) => {
    expect(await messageFor('days.csv', content)).toContain(expected);
  });

  it('names the line of each wrong value', async () => {
    const content =
      'date,keyword_id,impressions,clicks\n2025-05-01,1,1,1\n2025-02-30,x,-1,1.5\n\n2025-05-01,1,1,1\n2025-05-02,3,1,9999999999\n';
    expect(await messageFor('days.csv', content)).toMatchInlineSnapshot(`
      "Reading the market failed:
      days.csv:3: found "2025-02-30" as date, expected a date YYYY-MM-DD
      days.csv:3: found "x" as keyword_id, expected digits
      days.csv:3: found "-1" as impressions, expected a whole number up to 2147483647
      days.csv:3: found "1.5" as clicks, expected a whole number up to 2147483647
      days.csv:6: found "9999999999" as clicks, expected a whole number up to 2147483647"
    `);
  });

  it('names ten values at most', async () => {
    const content = `date,keyword_id,impressions,clicks\n${'yesterday,1,1,1\n'.repeat(50)}`;
    expect((await messageFor('days.csv', content)).split('\n')).toHaveLength(11);
  });

  it('reports a file that is missing, truncated or not gzip as an input error', async () => {
    await expect(freshSandbox({ marketFile: '/nowhere/days.csv' })).rejects.toThrow(
      /\/nowhere\/days\.csv: found "ENOENT/,
    );
    expect(await messageFor('days.csv.gz', 'date,keyword_id')).toContain(
      'Reading the market failed at days.csv.gz: found "incorrect header check"',
    );
    expect(await messageFor('days.csv.gz', gzipSync(plainRows()).subarray(0, 300))).toContain('unexpected end of file');
    expect(await messageFor('days.csv', 'date,keyword_id,impressions,clicks\n2025-05-01,"1,1,1\n')).toContain(
      'Reading the market failed at days.csv:',
    );
  });
});
