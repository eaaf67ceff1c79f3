import { describe, expect, it } from 'vitest';
import { budgetId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import type { Intent } from '../../src/storage/records/budgets/intent-table.ts';
import { BUDGETS_HISTORY, type BudgetHistory } from '../../src/views/budgets-history.ts';
import { jsonListing } from '../../src/views/kit/json.ts';
import { terminalListing } from '../../src/views/kit/terminal.ts';
import { someIntent } from '../support/state.ts';

const LAYOUT = { width: 200, bold: (text: string) => text };

const { customerId: CUSTOMER } = someIntent();
const ACCOUNT = { customerId: CUSTOMER, name: 'Alpenkontor', currency: 'EUR', timeZone: undefined };
const NOTHING: BudgetHistory = {
  frozen: undefined,
  accounts: [ACCOUNT],
  changes: [],
  foreign: [],
  rejections: [],
  events: [],
};

function change(facts: Partial<Intent>): Intent {
  return {
    ...someIntent(),
    id: 1n,
    kind: 'rule',
    undoes: undefined,
    actor: 'rule trim@1f2e3d4c5b6a',
    state: 'applied',
    runId: undefined,
    alertText: undefined,
    alertSeverity: undefined,
    code: undefined,
    outcome: undefined,
    createdAt: '2026-11-20T12:00:00Z',
    updatedAt: '2026-11-20T12:00:01Z',
    ...facts,
  };
}

const FOREIGN = {
  customerId: CUSTOMER,
  accountName: 'Alpenkontor',
  currency: 'EUR',
  budgetId: budgetId('11'),
  accountDay: civilDate('2026-11-21'),
  intentId: undefined,
  expected: micros(51_000_000n),
  found: micros(70_000_000n),
  eventId: 9n,
  seenAt: '2026-11-21T12:00:00Z',
};

function event(kind: string, detail: object): BudgetHistory['events'][number] {
  return {
    id: 1n,
    intentId: undefined,
    kind,
    actor: 'ben',
    detail: JSON.stringify(detail),
    createdAt: '2026-11-20T12:00:00Z',
    previousHash: '',
    hash: '',
  };
}

const widened = (setting: string, before: string, now: string | null) =>
  event('settings_widened', { settings: [{ setting, before, now }] });

describe('the history of budget changes shows', () => {
  it.each<[sentence: string, history: Partial<BudgetHistory>, lines: readonly string[]]>([
    ['that it is empty', {}, ['No budget changes yet.']],
    [
      'who approved a change',
      { changes: [change({ origin: 'approval', actor: 'approved by Anna' })] },
      ['B1      changed', '    approved by Anna'],
    ],
    [
      'which change a person undid',
      { changes: [change({ kind: 'undo', origin: 'undo', undoes: 3n, actor: 'root' })] },
      ['    undo of B3 by root'],
    ],
    [
      'changes made elsewhere, in the account’s currency',
      { foreign: [FOREIGN] },
      ['changed elsewhere  budget 11  Alpenkontor (', '51.00 EUR  70.00 EUR', '2026-11-21 12:00 UTC'],
    ],
    ['why budgets were frozen', { events: [event('frozen', { why: 'prices' })] }, ['frozen', 'by ben', 'prices']],
    [
      'the text of the freeze file',
      { events: [event('freeze_file_found', { first_line: 'prices' })] },
      ['frozen', 'by ben', 'prices'],
    ],
    [
      'that the freeze file was removed',
      { events: [event('freeze_file_gone', {})] },
      ['unfrozen', 'by ben', 'the file was removed'],
    ],
    [
      'which account limit was removed, as an amount',
      { events: [widened(`accounts.${CUSTOMER}.daily_total`, '500000000', null)] },
      ['settings widened', `accounts.${CUSTOMER}.daily_total from 500.00 EUR to no limit`],
    ],
    [
      'which setting was widened',
      { events: [widened('automation.mode', 'approve', 'apply')] },
      ['automation.mode from approve to apply'],
    ],
  ])('%s', (_sentence, history, lines) => {
    const text = terminalListing(BUDGETS_HISTORY, { ...NOTHING, ...history }, LAYOUT);
    for (const line of lines) expect(text).toContain(line);
  });
});

it('JSON separates the kinds of changes', () => {
  expect(JSON.parse(jsonListing(BUDGETS_HISTORY, { ...NOTHING, foreign: [FOREIGN] }))).toMatchObject({
    changes: [],
    foreign_changes: [{ budget_id: '11', expected_micros: 51_000_000, found_micros: 70_000_000 }],
    record_events: [],
  });
});
