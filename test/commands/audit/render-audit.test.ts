import { describe, expect, it } from 'vitest';
import { type AuditResult, isProven, renderAudit, renderAuditJson } from '../../../src/commands/audit/run-verify.ts';
import { micros } from '../../../src/domain/micros.ts';
import { accountId } from '../../views/report/results.ts';

const LAYOUT = { width: 2000, bold: (text: string) => text };

function audit(facts: Partial<AuditResult> = {}): AuditResult {
  return {
    events: 12,
    head: { id: 12n, hash: 'ab' },
    budgets: 2,
    compared: 2,
    brokenLinks: [],
    differences: [],
    changedElsewhere: [],
    notes: [],
    failures: [],
    ...facts,
  };
}

const OTHER = {
  customerId: accountId(1),
  name: 'Alpenkontor',
  currency: 'EUR',
  budgetId: '11',
  found: micros(70_000_000n),
  recorded: 51_000_000n,
  eventId: 9n,
  unanswered: undefined,
};

describe('the result of audit verify', () => {
  it.each<[sentence: string, facts: Partial<AuditResult>, isProven: boolean, words: string]>([
    [
      'an intact record',
      {},
      true,
      'The record is sound: 12 events in one unbroken chain, 2 of 2 budgets have the recorded amount.',
    ],
    [
      'a record compared with no amounts',
      { compared: 0 },
      true,
      "The record is sound: 12 events in one unbroken chain, 2 budgets, none compared with today's amount.",
    ],
    [
      'a budget that someone else changed',
      { changedElsewhere: [OTHER] },
      false,
      'The record is intact. 1 budget has a different amount today: budget 11 of Alpenkontor (1000000001): 70.00 EUR, recorded 51.00 EUR; someone else changed it. The next report records it.',
    ],
    [
      'a budget that a change in doubt may have set',
      { changedElsewhere: [{ ...OTHER, currency: 'JPY', name: undefined, unanswered: 4n }] },
      false,
      'budget 11 of account 1000000001: 70 JPY, recorded 51 JPY; the outcome of B4 is unknown.',
    ],
    [
      'tables that differ from the events',
      { differences: ['Intent 1 is new.'] },
      false,
      'The record is not sound: 12 events',
    ],
    ['a broken chain', { brokenLinks: ['Event 2 was altered.'] }, false, 'The record is not sound: 12 events read'],
    [
      'an account that could not be read',
      { compared: 1, failures: ['Down.'] },
      false,
      "The record is intact, but some of today's amounts could not be compared: 12 events",
    ],
  ])('shows %s', (_sentence, facts, proven, words) => {
    expect([isProven(audit(facts)), renderAudit(audit(facts), LAYOUT)]).toEqual([
      proven,
      expect.stringContaining(words),
    ]);
  });

  it('shows the same in JSON', () => {
    expect(JSON.parse(renderAuditJson(audit({ changedElsewhere: [OTHER] })))).toMatchObject({
      sound: true,
      changed_elsewhere: [{ budget_id: '11', currency: 'EUR', found_micros: 70_000_000, recorded_micros: 51_000_000 }],
    });
  });
});
