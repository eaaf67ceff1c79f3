import { describe, expect, it } from 'vitest';
import { micros } from '../../src/domain/micros.ts';
import { renderEvaluation } from '../../src/report/render-evaluation.ts';
import { renderExplanation } from '../../src/report/render-explanation.ts';
import type { DecisionResult } from '../../src/report/report-result.ts';
import type { EvaluationResult, ExplanationResult } from '../../src/report/rules-result.ts';
import { account, accountId } from './results.ts';

const LAYOUT = { width: 80, bold: (text: string) => text };
const CONDITION = 'clicks (82) >= 30, 2026-11-13 to 2026-11-19';
const CHANGE = 'increase budget by 10%, held by the ceiling of 90.00 EUR: 85.00 EUR to 90.00 EUR';

function decision(facts: Partial<DecisionResult>): DecisionResult {
  return {
    ...{ rule: 'trim', customerId: accountId(1), budgetId: '11', campaignId: '21', campaignName: 'Shoes' },
    ...{ subject: 'Shoes (campaign 21)', currency: 'EUR', from: micros(85_000_000n), to: micros(90_000_000n) },
    ...{ state: 'proposed', mode: 'apply', code: undefined, intentId: undefined, proposal: undefined },
    ...{
      ...(facts.state === 'refused' ? {} : { change: CHANGE }),
      reason: `${CONDITION}; ${CHANGE}`,
      detail: undefined,
    },
    ...facts,
  };
}

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

describe('what rules would do', () => {
  it.each<[sentence: string, facts: Partial<DecisionResult>, words: string, end: string]>([
    ['a change that a report makes', {}, 'WOULD CHANGE  Shoes', 'make 1 change and send 0 alerts'],
    [
      'one that a person must approve',
      { mode: 'approve' },
      'WOULD ASK  Shoes',
      'make 0 changes, ask a person about 1 change and send 0 alerts',
    ],
    [
      'one that is only shown',
      { mode: 'propose' },
      'SUGGESTED  Shoes',
      'make 0 changes, suggest 1 change and send 0 alerts',
    ],
    [
      'one that is held back',
      { state: 'refused', mode: undefined },
      'REFUSED  Shoes',
      'make 0 changes, hold back 1 and send 0 alerts',
    ],
  ])('tells %s', (_sentence, facts, words, end) => {
    const text = renderEvaluation(evaluation({ decisions: [decision(facts)] }), LAYOUT);
    expect(text).toContain(`  ${words}`);
    expect(text.replace(/\s+/g, ' ')).toContain(`Nothing was changed or sent. A report would ${end}.`);
  });

  it('says nothing of rules where nothing was read yet', () => {
    const rules = [
      { rule: 'trim', customerId: accountId(1), subjects: 0, fired: 0, unknown: 0, notEvaluated: 'no days' },
    ];
    const text = renderEvaluation(evaluation({ unread: true, rules }), LAYOUT);
    expect(text).toMatch(/Nothing can be said yet: run pacekeeper extract first\.\n$/);
    expect(text).not.toContain('trim');
  });
});

describe('one rule explained', () => {
  const rule = {
    ...{ name: 'trim', version: '1f2e3d4c5b6a', description: 'Trims.', from: 'keyword_stats', for: 'campaign' },
    ...{ where: undefined, over: '7 days', when: 'clicks >= 30', currency: 'EUR', change: 'increase budget by 10%' },
    lasting: undefined,
    pace: undefined,
    limits: undefined,
    includes: undefined,
    alert: undefined,
    ...{ mode: 'apply', effectiveMode: 'apply' },
  };
  const explained = (facts: Partial<DecisionResult>): ExplanationResult => ({
    ...WHERE,
    ...{ rule, results: [], notes: [], failures: [] },
    subjects: [
      {
        ...{ customerId: accountId(1), subject: 'Shoes (campaign 21)', campaignId: '21', budgetId: '11' },
        truth: 'true',
        explanation: CONDITION,
        clauses: [],
        alert: undefined,
        decisions: [decision(facts)],
      },
    ],
  });

  it('says which limit holds the change, and the condition once', () => {
    const text = renderExplanation(explained({}), LAYOUT).replace(/\s+/g, ' ');
    expect(text).toContain(
      'WOULD CHANGE budget 11: increase budget by 10%, held by the ceiling of 90.00 EUR: 85.00 EUR to 90.00 EUR',
    );
    expect(text.split('clicks (82)')).toHaveLength(2);
  });

  it('says why nothing would change', () => {
    const refused = { state: 'refused', from: undefined, to: undefined, detail: 'The cooldown lasts.' } as const;
    expect(renderExplanation(explained({ ...refused, reason: CONDITION }), LAYOUT)).toContain(
      '    REFUSED  The cooldown lasts.\n',
    );
  });
});
