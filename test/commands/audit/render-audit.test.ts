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

describe('what proving the record has shown', () => {
  it.each<[sentence: string, facts: Partial<AuditResult>, isProven: boolean, words: string]>([
    [
      'a whole record',
      {},
      true,
      'The record is sound: 12 events in one unbroken chain, 2 of 2 budgets have the amount that the record gives.',
    ],
    [
      'a record that nothing was compared with',
      { compared: 0 },
      true,
      "The record is sound: 12 events in one unbroken chain, 2 budgets, none compared with today's amount.",
    ],
    [
      'a budget that someone else changed',
      { changedElsewhere: [OTHER] },
      false,
      'The record is whole. 1 budget has another amount today: budget 11 of Alpenkontor (1000000001): 70.00 EUR, by the record 51.00 EUR; someone else changed it. The next report writes it down.',
    ],
    [
      'a budget that a change without an answer may have set',
      { changedElsewhere: [{ ...OTHER, currency: 'JPY', name: undefined, unanswered: 4n }] },
      false,
      'budget 11 of account 1000000001: 70 JPY, by the record 51 JPY; B4 is without an answer.',
    ],
    [
      'tables that tell another story',
      { differences: ['Intent 1 is new.'] },
      false,
      'The record is not sound: 12 events',
    ],
    ['a broken chain', { brokenLinks: ['Event 2 was altered.'] }, false, 'The record is not sound: 12 events read'],
    [
      'an account that could not be read',
      { compared: 1, failures: ['Down.'] },
      false,
      'The record is whole, and not every amount of today could be compared: 12 events',
    ],
  ])('tells %s', (_sentence, facts, proven, words) => {
    expect([isProven(audit(facts)), renderAudit(audit(facts), LAYOUT)]).toEqual([
      proven,
      expect.stringContaining(words),
    ]);
  });

  it('tells programs the same', () => {
    expect(JSON.parse(renderAuditJson(audit({ changedElsewhere: [OTHER] })))).toMatchObject({
      sound: true,
      changed_elsewhere: [{ budget_id: '11', currency: 'EUR', found_micros: 70_000_000, recorded_micros: 51_000_000 }],
    });
  });
});
