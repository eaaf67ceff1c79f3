import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type {
  ReportResult,
  RuleResult,
  SliceResult,
  TotalResult,
} from '../../../src/language/results/report-result.ts';
import { sliceFailures } from '../../../src/views/report/describe-results.ts';
import { renderReportText } from '../../../src/views/report/render-text.ts';
import { account, accountId, result, slice } from './results.ts';

const numbers = (many: number) => Array.from({ length: many }, (_, index) => index + 1);
const text = (told: ReportResult, width = 80) => renderReportText(told, { width, bold: (words) => words });
const REFUSED = 'The advertising interface answered PERMISSION_DENIED (403): No. (request R1)';

/** 2,000 accounts in two slices each; some of them fail, some are left. */
function crowd(): ReportResult {
  const slices = numbers(2000).flatMap((number): SliceResult[] => {
    const bad =
      number % 500 === 0
        ? { rows: 0n, failure: REFUSED.replace('R1', `R${number}`), alike: 'No.' }
        : number > 1998
          ? { rows: 0n, left: 'the service asks for a pause of 60 minutes' }
          : {};
    return [
      slice(number, '2026-10-01', '2026-10-31', number === 1999 ? {} : bad),
      slice(number, '2026-11-01', '2026-11-19', bad),
      { ...slice(number, '2026-11-01', '2026-11-19'), query: 'campaign_budget', days: undefined, rows: 9n },
    ];
  });
  return result({ accounts: numbers(2000).map(account), slices, failures: sliceFailures(slices) });
}

describe('a report of many accounts', () => {
  it('sums up the read data per query, and lists failed and unread data', () => {
    expect(text(crowd())).toMatchInlineSnapshot(`
      "pacekeeper extract · run 7 · 2026-11-20 12:00 UTC · sandbox (seed 1)

      Failed
        keyword_stats of 4 accounts (1000000500, 1000001000, 1000001500, 1000002000)
          was not read and is unchanged: The advertising interface answered
          PERMISSION_DENIED (403): No. (request R500)
        1 part of account 1000001999 was left for the next run: the service asks for a
          pause of 60 minutes.

      Done with 2 failures: 4,009,000 rows read.

      Read
        Query                  Accounts  Days                           Rows
        keyword_stats    1,995 of 2,000  2026-10-01 to 2026-11-19  3,991,000
        campaign_budget           2,000  now                          18,000

      Not read
        Query          Account      Days                                     Rows
        keyword_stats  Client 500   2026-10-01 to 2026-11-19               failed
        keyword_stats  Client 1000  2026-10-01 to 2026-11-19               failed
        keyword_stats  Client 1500  2026-10-01 to 2026-11-19               failed
        keyword_stats  Client 1999  2026-10-01 to 2026-11-19  1,000 (1 of 2 left)
        keyword_stats  Client 2000  2026-10-01 to 2026-11-19               failed
      "
    `);
  });

  it.each([80, 100, 140])('stays within %d columns', (width) => {
    expect(
      text(crowd(), width)
        .split('\n')
        .filter((line) => stringWidth(line) > width),
    ).toEqual([]);
  });

  it('limits its lists, and says how many entries there are', () => {
    const slices = numbers(2000).map((number) => slice(number, '2026-11-01', '2026-11-19', { failure: REFUSED }));
    const told = text(result({ slices, failures: sliceFailures(slices) }));
    expect(told.split('\n').length).toBeLessThan(50);
    expect(told).toContain('and 1,980 more rows');
    expect(told).toMatch(/keyword_stats of 2,000 accounts \(1000000001,/);
    expect(told).toMatch(/0 of 2,000/);
  });

  it('shows the largest accounts without their campaigns, and counts the rest', () => {
    const total = (number: number, currency: string): TotalResult => ({
      query: 'keyword_stats',
      customerId: accountId(number),
      campaign: undefined,
      days: undefined,
      currency,
      metrics: new Map([
        ['clicks', BigInt(number)],
        ['cost_micros', BigInt(3000 - number) * 1_000_000n],
      ]),
    });
    const accounts = numbers(2000).map(account);
    const ofOne = text(result({ accounts, totals: numbers(2000).map((number) => total(number, 'EUR')) }));
    expect(ofOne.split('\n').slice(3, 8).join('\n')).toMatchInlineSnapshot(`
      "Totals of keyword_stats
        Account                  Clicks          Cost
        Client 1 (1000000001)         1  2,999.00 EUR
        Client 2 (1000000002)         2  2,998.00 EUR
        Client 3 (1000000003)         3  2,997.00 EUR"
    `);
    expect(ofOne).toContain('and 1,980 more accounts');
    const mixed = numbers(2000).map((number) => total(number, number % 2 ? 'EUR' : 'JPY'));
    expect(text(result({ accounts, totals: mixed })).split('\n')[5]).toMatch(/^ {2}Client 2000 /);
  });

  it('sums up results per rule, and names the first accounts that a rule skips', () => {
    const rules = numbers(2000).map(
      (number): RuleResult => ({
        rule: 'trim',
        customerId: accountId(number),
        subjects: 3,
        fired: number === 4 ? 1 : 0,
        unknown: 0,
        notEvaluated: number > 1000 ? 'for USD only' : undefined,
        isOfOtherCurrency: number > 1000,
      }),
    );
    const told = text(result({ accounts: numbers(2000).map(account), rules }, 'report'));
    expect(told.split('\n').slice(3, 10).join('\n')).toMatchInlineSnapshot(`
      "Rules
        Rule  Accounts  Checked  Fired  Unknown
        trim     1,000    3,000      1        0
        trim is for USD only. Skipped: Client 1001, Client 1002, Client 1003, Client
          1004, Client 1005, Client 1006, Client 1007, Client 1008, Client 1009,
          Client 1010, Client 1011, Client 1012, Client 1013, Client 1014, Client
          1015, Client 1016, Client 1017, Client 1018, Client 1019, Client 1020 and"
    `);
  });
});

describe('several slices of one query and account', () => {
  const only = (slices: readonly SliceResult[]) => text(result({ accounts: [account(1)], slices })).split('\n')[5];

  it('are one line, from the first day to the last', () => {
    expect(only([slice(1, '2026-01-01', '2026-01-31'), slice(1, '2026-03-01', '2026-03-31', { rows: 234n })])).toBe(
      '  keyword_stats  Client 1  2026-01-01 to 2026-03-31  1,234',
    );
  });

  it('show how many of them failed or were left', () => {
    const good = slice(1, '2026-01-01', '2026-01-31');
    const failed = slice(1, '2026-02-01', '2026-02-01', { rows: 0n, failure: REFUSED });
    const left = slice(1, '2026-03-01', '2026-03-31', { rows: 0n, left: 'x' });
    expect(only([good, failed])).toMatch(/1,000 \(1 of 2 failed\)$/);
    expect(only([good, left])).toMatch(/1,000 \(1 of 2 left\)$/);
    expect(only([failed, left])).toMatch(/ failed$/);
    expect(only([left])).toMatch(/ left$/);
    expect(only([failed])).toBe('  keyword_stats  Client 1  2026-02-01  failed');
  });
});
