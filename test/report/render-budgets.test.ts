import { describe, expect, it } from 'vitest';
import { civilDate } from '../../src/domain/civil-date.ts';
import { budgetId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { renderHistory, renderHistoryJson } from '../../src/report/render-budgets.ts';
import type { Intent } from '../../src/store/intent-table.ts';
import { someIntent } from '../support/state.ts';

const LAYOUT = { width: 200, bold: (text: string) => text };

function change(facts: Partial<Intent>): Intent {
  return {
    ...someIntent(),
    ...{ id: 1n, kind: 'rule', undoes: undefined, actor: 'rule trim@1f2e3d4c5b6a', state: 'applied' },
    ...{ runId: undefined, alertText: undefined, alertSeverity: undefined },
    ...{ code: undefined, outcome: undefined, createdAt: '2026-11-20T12:00:00Z', updatedAt: '2026-11-20T12:00:01Z' },
    ...facts,
  };
}

const { customerId: CUSTOMER } = someIntent();
const ACCOUNT = { customerId: CUSTOMER, name: 'Alpenkontor', currency: 'EUR', timeZone: undefined };
const FOREIGN = {
  ...{ customerId: CUSTOMER, budgetId: budgetId('11'), accountDay: civilDate('2026-11-21'), intentId: undefined },
  ...{ expected: micros(51_000_000n), found: micros(70_000_000n), eventId: 9n, seenAt: '2026-11-21T12:00:00Z' },
};

describe('the history of budget changes', () => {
  it.each<[sentence: string, facts: Partial<Intent>, words: string]>([
    ['a rule', {}, 'rule trim@1f2e3d4c5b6a'],
    [
      'an approval',
      { origin: 'approval', actor: 'approved by Anna', ruleVersion: '1f2e' },
      'rule trim@1f2e, approved by Anna',
    ],
    ['an undo', { kind: 'undo', origin: 'undo', undoes: 3n, actor: 'root' }, 'undo of B3 by root'],
  ])('names who wanted it: %s', (_sentence, facts, words) => {
    const text = renderHistory(
      { frozen: undefined, accounts: [ACCOUNT], entries: [{ kind: 'ours', change: change(facts) }] },
      LAYOUT,
    );
    expect(text).toContain(`    Alpenkontor (${CUSTOMER}), ${words}\n`);
  });

  it('tells what someone else changed, in the currency of the account', () => {
    const history = {
      frozen: undefined,
      accounts: [ACCOUNT],
      entries: [{ kind: 'foreign', change: FOREIGN }],
    } as const;
    expect(renderHistory(history, LAYOUT)).toBe(
      `  2026-11-21T12:00:00Z budget 11 changed elsewhere: 51.00 to 70.00 EUR, seen 2026-11-21\n    Alpenkontor (${CUSTOMER})\n`,
    );
    expect(JSON.parse(renderHistoryJson(history))).toMatchObject({
      changes: [],
      foreign_changes: [{ budget_id: '11', expected_micros: 51_000_000, found_micros: 70_000_000 }],
    });
  });

  it.each<[kind: string, detail: object, words: string]>([
    ['frozen', { why: 'prices' }, 'frozen by ben: prices'],
    ['freeze_file_found', { first_line: 'prices' }, 'frozen by ben: prices'],
    ['freeze_file_gone', {}, 'unfrozen by ben: the file is gone'],
    [
      'settings_widened',
      { settings: [{ setting: `accounts.${CUSTOMER}.daily_total`, before: '500000000', now: null }] },
      `settings widened by ben: accounts.${CUSTOMER}.daily_total from 500.00 EUR to no bound`,
    ],
    [
      'settings_widened',
      { settings: [{ setting: 'automation.mode', before: 'approve', now: 'apply' }] },
      'settings widened by ben: automation.mode from approve to apply',
    ],
  ])('tells of the record in words: %s', (kind, detail, words) => {
    const about = { id: 1n, intentId: undefined, previousHash: '', hash: '', createdAt: '2026-11-20T12:00:00Z' };
    const event = { ...about, kind, actor: 'ben', detail: JSON.stringify(detail) };
    const text = renderHistory(
      { frozen: undefined, accounts: [ACCOUNT], entries: [{ kind: 'record', event }] },
      LAYOUT,
    );
    expect(text).toBe(`  2026-11-20T12:00:00Z  ${words}\n`);
  });

  it('says so when there is none', () => {
    expect(renderHistory({ frozen: undefined, accounts: [], entries: [] }, LAYOUT)).toBe('No budget was changed.\n');
  });
});
