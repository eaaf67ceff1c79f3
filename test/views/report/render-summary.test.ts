import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { DecisionFacts } from '../../../src/domain/decision-facts.ts';
import { budgetId, campaignId } from '../../../src/domain/ids.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { AccountMonth } from '../../../src/language/results/account-month.ts';
import type { ReportResult } from '../../../src/language/results/report-result.ts';
import { renderReportSummary } from '../../../src/views/report/render-summary.ts';
import { account, accountId, decision, outcome, result } from './results.ts';

const numbers = (many: number) => Array.from({ length: many }, (_, index) => index + 1);
const text = (told: ReportResult, width = 100) => renderReportSummary(told, { width, bold: (words) => words });
const linesOf = (told: ReportResult, width = 100) => text(told, width).trimEnd().split('\n');

function month(number: number, facts: Partial<AccountMonth> = {}): AccountMonth {
  return {
    customerId: accountId(number),
    name: `Client ${number}`,
    currency: 'EUR',
    month: civilDate('2026-11-01'),
    completeUntil: civilDate('2026-11-19'),
    lackedDays: 0,
    spent: 1_400_600_000n,
    monthEnd: 1_933_000_000n,
    cap: 9_000_000_000n,
    week: 515_000_000n,
    weekBefore: 460_000_000n,
    conversions: 41.6,
    arriving: undefined,
    cpa: 33_670_000n,
    target: undefined,
    moreTargets: 0,
    memberOf: [],
    driver: undefined,
    ...facts,
  };
}

const TARGET = {
  rule: 'pace',
  month: civilDate('2026-11-01'),
  target: 1_800_000_000n,
  projected: 1_933_000_000n,
  isSpent: false,
} as const;
const ZELTE = { campaignName: 'Zelte', campaignId: campaignId('6'), subject: 'Zelte (campaign 6)' } as const;
const change = (number: number, parts: Partial<DecisionFacts> = {}) =>
  decision({ ...ZELTE, kind: 'change', mode: undefined, intent: outcome(BigInt(number)), ...parts });
const suggestion = (parts: Partial<DecisionFacts> = {}) => decision({ ...ZELTE, ...parts });
const quiet = (parts: Partial<ReportResult> = {}) =>
  result({ accounts: [account(1)], months: [month(1)], needs: [], ...parts }, 'report');

describe('the first screen of a report', () => {
  it('has the state, what needs a person, changes with one line of reason, suggestions, months and the next step', () => {
    const told = quiet({
      decisions: [change(12), suggestion(), suggestion({ budgetId: budgetId('7') })],
      months: [month(1, { target: { ...TARGET, off: 'over', covers: [], isWhole: true } })],
    });
    expect(text(told)).toMatchInlineSnapshot(`
      "pacekeeper report · run 7 · 2026-11-20 12:00 UTC · sandbox (seed 1) · mode apply
      Spent in November 2026: 1,401 EUR, complete until 2026-11-19.
      Over target: will end at 1,933 EUR, target 1,800, pace, Client 1.
      Needs you: nothing
      Done: 0 rows read, 1 budget changed, 0 alerts sent.

      Changed
        B12  Zelte (campaign 6): 60.00 to 51.00 EUR
          trim: clicks (82) >= 30

      Suggested
        trim, Client 1: 2 budgets, 120.00 to 102.00 EUR a day (−18.00 EUR)
        Suggestions change nothing until the rule's mode is approve or apply.

        Account        Spent  Month end          Target  7 days  Change  Conv.    CPA
        Client 1  EUR  1,401      1,933  1,933 of 1,800     515    +12%     42  33.67

      Undo: pacekeeper budgets undo B12. Full reason: pacekeeper budgets show B12.
      "
    `);
  });

  it('shows no target of another month beside the spend of the month before', () => {
    const target = { ...TARGET, month: civilDate('2026-12-01'), off: 'over' as const, covers: [], isWhole: false };
    expect(text(quiet({ months: [month(1, { target })] }))).not.toContain('1,800');
  });

  it('says that a target is already spent', () => {
    const target = { ...TARGET, off: 'over' as const, isSpent: true, covers: [], isWhole: true };
    expect(text(quiet({ months: [month(1, { target })] }))).toContain(
      '\nTarget already spent: will end at 1,933 EUR, target 1,800',
    );
  });

  it.each([
    [['Boots', 'Tents', '2 campaigns'], 'pace (Boots, Tents, 2 campaigns)'],
    [['Boots'], 'pace (Boots)'],
    [['a', 'b', 'c', 'd', 'e'], 'pace (a, b, c and 2 more)'],
    [[], 'pace'],
  ])('says what a target covers if it is not the whole account: %j', (covers, name) => {
    const target = { ...TARGET, off: 'over' as const, covers, isWhole: false };
    const row = text(quiet({ months: [month(1, { target })] })).split('\n  Account ')[1];
    expect(row).toContain(`    Target of ${name}: will end at 1,933 EUR, target 1,800\n`);
    expect(row?.match(/target 1,800/g)).toHaveLength(1);
  });

  it('names approvals, then failures', () => {
    const told = quiet({ failures: ['It broke.'], needs: ['Zelte awaits approval.'] });
    expect(text(told)).toContain('Needs you\n  Zelte awaits approval.\n\nFailed\n  It broke.\n\nDone with 1 failure');
  });

  it('says how far each account is complete', () => {
    const months = [month(1), month(2), month(3, { completeUntil: civilDate('2026-11-18') })];
    const accounts = numbers(4).map(account);
    expect(text(quiet({ accounts, months }))).toContain('complete until 2026-11-19, Client 3 until 2026-11-18');
    const late = [3, 4].map((number) => month(number, { completeUntil: civilDate('2026-11-18') }));
    expect(text(quiet({ accounts, months: [month(1), month(2), month(5), ...late] }))).toContain(
      'complete until 2026-11-19, 2 accounts until 2026-11-18',
    );
    const lacking = month(1, { lackedDays: 2 });
    expect(text(quiet({ months: [lacking] }))).toContain('complete until 2026-11-19, without 2 earlier days.');
    expect(text(quiet({ accounts, months: [lacking, month(2)] }))).toMatch(/1 account lacks\s+earlier days/);
    const nothing = [month(4, { completeUntil: undefined })];
    expect(text(quiet({ accounts, months: nothing }))).toContain('no complete day yet');
    expect(text(quiet({ accounts, months: [...months, ...nothing] }))).toMatch(/Client 4\s+without a complete day/);
  });

  it('shows unknown values as a dash, small amounts with decimals, and negative corrections', () => {
    const months = [
      month(1, {
        spent: undefined,
        monthEnd: undefined,
        week: undefined,
        weekBefore: undefined,
        conversions: undefined,
      }),
      month(2, { spent: 12_340_000n, week: -5_000_000n, weekBefore: 10_000_000n }),
      month(3, { weekBefore: 0n, conversions: 0, cpa: undefined }),
    ];
    const lines = linesOf(quiet({ accounts: numbers(3).map(account), months }));
    expect(lines.find((line) => line.includes('Client 1'))).toMatch(/EUR +– +– +– +33\.67$/);
    expect(lines.find((line) => line.includes('Client 2'))).toMatch(/EUR +12\.34 .* -5\.00 +−150% /);
    expect(lines.find((line) => line.includes('Client 3'))).toMatch(/ new +0 +–$/);
  });

  it('says which account or how many, and counts refusals by code', () => {
    const decisions = [
      suggestion(),
      suggestion({ customerId: accountId(2) }),
      suggestion({ rule: 'dry', mode: 'apply', from: undefined }),
      suggestion({ kind: 'refusal', code: 'COOLDOWN' }),
      suggestion({ kind: 'refusal', code: 'COOLDOWN' }),
    ];
    const told = text(quiet({ accounts: numbers(2).map(account), decisions }));
    expect(told).toContain('  trim, 2 accounts: 2 budgets, 120.00 to 102.00 EUR a day (−18.00 EUR)\n');
    expect(told).toContain('  dry, Client 1: 1 budget would change\n');
    expect(told.match(/Suggestions change nothing/g)).toHaveLength(1);
    const dry = text(quiet({ decisions: [suggestion({ mode: 'apply' })] }));
    expect(dry).not.toContain('Suggestions change nothing');
    expect(told).toContain('2 changes not made (COOLDOWN 2×). --verbose shows why.');
  });

  it.each([1, 4, 10_000])('stays short for %d accounts with a failure, changes and suggestions each', (many) => {
    const told = quiet({
      accounts: numbers(many).map(account),
      // The page has figures of at most 200 accounts.
      months: numbers(Math.min(many, 200)).map((number) => month(number)),
      failures: numbers(Math.min(many, 3)).map((number) => `Query ${number} was not read.`),
      needs: numbers(many).map((number) => `Budget ${number} awaits approval.`),
      decisions: numbers(many).flatMap((number) => [
        change(number, { customerId: accountId(number) }),
        suggestion({ rule: `rule${number}`, customerId: accountId(number) }),
      ]),
    });
    expect(linesOf(told).length).toBeLessThanOrEqual(41);
    if (many === 10_000) {
      expect(text(told)).toContain('Needs you: 10,000 items, the first 5');
      expect(text(told)).toContain('Changed: 10,000 budgets, the first 3');
      expect(text(told)).toContain('and 9,995 more accounts');
      expect(text(told)).toContain('complete until 2026-11-19 (200 accounts with most clicks)');
    }
  });

  it.each([60, 80, 100, 140])(
    'stays within %d columns, with any name, and lets no control character through',
    (width) => {
      const name = `Evil \u001b[31m\r\n<script> \u202e שלום 東京文具店 ${'long '.repeat(60)}`;
      const told = quiet({
        accounts: [{ ...account(1), name }],
        months: [month(1, { name, target: { ...TARGET, rule: name, off: 'over', covers: [name], isWhole: false } })],
        failures: [name],
        needs: [name],
        notes: [name],
        decisions: [change(12, { campaignName: name, reason: name }), suggestion({ rule: name, subject: name })],
      });
      expect(linesOf(told, width).filter((line) => stringWidth(line) > width)).toEqual([]);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there.
      expect(text(told, width)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    },
  );

  it('shows only accounts of the run, and no table without months', () => {
    expect(text(quiet({ months: [month(1), month(2)] }))).not.toContain('Client 2');
    expect(text(quiet({ months: undefined }))).not.toContain('Account');
  });

  it('begins with the freeze', () => {
    const frozen = { why: 'frozen by anna: prices are wrong', isLiftable: true };
    expect(linesOf(quiet({ frozen }))[0]).toContain('No budget is changed: frozen by anna: prices are wrong');
  });
});
