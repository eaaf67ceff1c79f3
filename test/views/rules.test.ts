import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { RULES_BACKTEST } from '../../src/commands/rules/backtest-view.ts';
import { RULES_EVALUATE } from '../../src/commands/rules/evaluate-view.ts';
import { RULES_EXPLAIN } from '../../src/commands/rules/explain-view.ts';
import { addDays } from '../../src/domain/civil-date.ts';
import type { PlannedDecision } from '../../src/domain/decision-facts.ts';
import { budgetId, campaignId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import type { BacktestResult, EvaluationResult, ExplanationResult } from '../../src/language/results/report-result.ts';
import type { RuleDescription } from '../../src/language/rules/file/describe-rule.ts';
import type { TrialRow } from '../../src/language/trial/run-trial.ts';
import { terminalListing } from '../../src/views/kit/terminal.ts';
import { account, accountId, decision, refused } from './report/results.ts';

const LAYOUT = { width: 80, bold: (text: string) => text };
const CONDITION = 'clicks (82) >= 30, 2026-11-13 to 2026-11-19';
const CHANGE = 'increase budget by 10%, limited by the ceiling of 90.00 EUR: 85.00 EUR to 90.00 EUR';

const LIMITED = {
  from: micros(85_000_000n),
  to: micros(90_000_000n),
  change: CHANGE,
  reason: `${CONDITION}; ${CHANGE}`,
} as const;
const WHERE = {
  target: 'sandbox',
  frozen: undefined,
  evaluatedAt: '2026-11-20T12:00:00Z',
  unread: false,
  accounts: [account(1)],
};

function evaluation(facts: Partial<EvaluationResult>): EvaluationResult {
  return { ...WHERE, mode: 'apply', notes: [], rules: [], decisions: [], alerts: [], failures: [], ...facts };
}

describe('a preview of rules', () => {
  it.each<[sentence: string, facts: Partial<PlannedDecision>, words: string, end: string]>([
    ['a change that a report would make', { mode: 'apply' }, 'would change  Shoes', 'make 1 change and send 0 alerts'],
    [
      'a change that needs approval',
      { mode: 'approve' },
      'needs approval  Shoes',
      'make 0 changes, ask for approval of 1 change and send 0 alerts',
    ],
    [
      'a change that is only suggested',
      { mode: 'propose' },
      'suggested  Shoes',
      'make 0 changes, suggest 1 change and send 0 alerts',
    ],
    ['a change that is refused', refused(), 'refused  Shoes', 'make 0 changes, refuse 1 change and send 0 alerts'],
  ])('shows %s', (_sentence, facts, words, end) => {
    const text = terminalListing(RULES_EVALUATE, evaluation({ decisions: [decision(facts)] }), LAYOUT);
    expect(text).toContain(`  ${words}`);
    expect(text.replace(/\s+/g, ' ')).toContain(`Nothing was changed or sent. A report would ${end}.`);
  });

  it('does not mention rules if there is no data yet', () => {
    const rules = [
      { rule: 'trim', customerId: accountId(1), subjects: 0, fired: 0, unknown: 0, notEvaluated: 'no days' },
    ];
    const text = terminalListing(RULES_EVALUATE, evaluation({ unread: true, rules }), LAYOUT);
    expect(text).toMatch(/No data yet\. Run pacekeeper extract\.\n$/);
    expect(text).not.toContain('trim');
  });
});

const RULE: RuleDescription = {
  name: 'trim',
  version: '1f2e3d4c5b6a',
  description: 'Trims.',
  from: 'keyword_stats',
  for: 'campaign',
  where: undefined,
  over: '7 days',
  when: 'clicks >= 30',
  currency: 'EUR',
  change: 'increase budget by 10%',
  lasting: undefined,
  conversionWindow: undefined,
  pace: undefined,
  limits: undefined,
  includes: undefined,
  alert: undefined,
  mode: 'apply',
  effectiveMode: 'apply',
};

describe('one rule explained', () => {
  const explained = (facts: Partial<PlannedDecision>): ExplanationResult => ({
    ...WHERE,
    rule: RULE,
    rules: [],
    notes: [],
    failures: [],
    subjects: [
      {
        customerId: accountId(1),
        subject: 'Shoes (campaign 21)',
        campaignId: '21',
        budgetId: '11',
        truth: 'true',
        explanation: CONDITION,
        clauses: [],
        alert: undefined,
        decisions: [decision(facts)],
      },
    ],
  });

  it('names the limit of the change, and shows the condition once', () => {
    const text = terminalListing(RULES_EXPLAIN, explained({ ...LIMITED, mode: 'apply' }), LAYOUT).replace(/\s+/g, ' ');
    expect(text).toContain(
      'WOULD CHANGE budget 11: increase budget by 10%, limited by the ceiling of 90.00 EUR: 85.00 EUR to 90.00 EUR',
    );
    expect(text.split('clicks (82)')).toHaveLength(2);
  });

  it('says why nothing would change', () => {
    expect(terminalListing(RULES_EXPLAIN, explained(refused({ reason: CONDITION })), LAYOUT)).toMatch(
      /^ {4}REFUSED Budget 11 was changed by a rule on 2026-11-18: the cooldown of 3\n/m,
    );
  });
});

describe('the rows of a backtest', () => {
  const FIRST = civilDate('2026-10-01');
  const REASON = `clicks (113) >= 30 AND cost / clicks (3.66) > 2.50, ${'a reason that has no room beside the amounts; '.repeat(3)}end.`;

  function change(place: number, more: Partial<Extract<TrialRow, { kind: 'change' }>> = {}): TrialRow {
    return {
      kind: 'change',
      day: addDays(FIRST, place),
      subject: {
        kind: 'campaign',
        customerId: accountId(1),
        label: 'Schlafsäcke (campaign 21)',
        campaignId: campaignId('21'),
        campaignName: 'Schlafsäcke',
        budgetId: budgetId('71'),
        adGroupId: undefined,
        criterionId: undefined,
      },
      budgetId: budgetId('71'),
      from: micros(60_000_000n),
      to: micros(51_000_000n),
      limitedBy: undefined,
      reason: REASON,
      ...more,
    };
  }

  const backtest = (rows: readonly TrialRow[]): BacktestResult => ({
    rule: RULE,
    target: 'sandbox',
    days: { from: FIRST, to: addDays(FIRST, 30) },
    evaluatedAt: '2026-11-20T12:00:00Z',
    accounts: [account(1)],
    trials: [
      {
        customerId: accountId(1),
        currency: 'EUR',
        sums: {
          evaluated: 31,
          notEvaluated: [],
          data: { known: 31, restated: 0, not_on_record: 0 },
          looked: 31,
          fired: rows.length,
          unknown: 0,
          changes: rows.length,
          refused: new Map(),
        },
        alerts: undefined,
        spend: undefined,
        budgets: { begin: 60_000_000n, end: 51_000_000n },
        byDay: new Map(),
        rows,
      },
    ],
    notes: [],
    failures: [],
  });
  const linesAt = (width: number, rows: readonly TrialRow[]) =>
    terminalListing(RULES_BACKTEST, backtest(rows), { ...LAYOUT, width })
      .split('Actions of the rule\n')[1]
      ?.split('\n') ?? [];

  it.each([80, 140])('show the full reason below at %i columns', (width) => {
    const text = linesAt(width, [change(0)]);
    expect(text.join(' ').replace(/\s+/g, ' ')).toContain(REASON);
    expect(text.filter((line) => stringWidth(line) > width)).toEqual([]);
  });

  it('show reasons only for the first ten', () => {
    const lines = linesAt(
      140,
      Array.from({ length: 12 }, (_, place) => change(place)),
    );
    expect(lines.filter((line) => line.startsWith('  2026-10-'))).toHaveLength(12);
    expect(lines.filter((line) => line.includes('clicks (113)'))).toHaveLength(10);
  });

  it('name the limit of a change if there was one', () => {
    const [titles, free, , , held] = linesAt(140, [change(0), change(1, { limitedBy: 'drift' })]);
    expect(titles).toMatch(/Held by$/);
    expect(free).toMatch(/EUR$/);
    expect(held).toMatch(/EUR +drift$/);
  });
});
