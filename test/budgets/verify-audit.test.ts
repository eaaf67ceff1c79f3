import { describe, expect, it } from 'vitest';
import { budgetId, customerId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { compareAmounts, verifyAudit } from '../../src/engine/budgets/verify-audit.ts';
import { allEvents } from '../../src/storage/records/budgets/event-table.ts';
import { recordFreeze } from '../../src/storage/records/budgets/freeze-record.ts';
import { insertIntent } from '../../src/storage/records/budgets/intent-table.ts';
import { lastSet } from '../../src/storage/records/budgets/past-changes.ts';
import { decideProposal, insertProposal } from '../../src/storage/records/budgets/proposal-table.ts';
import { eventfulState, forge, foundIn, ONE, TWO, tamper } from '../support/audit.ts';
import { byEngine, freshStore, NOW_MS, someIntent } from '../support/state.ts';

const KEYS: Readonly<Record<string, string>> = {
  budget_intent: 'id',
  budget_proposal: 'code',
  foreign_change: 'event_id',
};

const firstOf = (table = '') => `${KEYS[table]} = (SELECT min(${KEYS[table]}) FROM ${table})`;

describe('verifying the audit trail', () => {
  it('accepts a correct trail, and replays it to the amounts of the ledger', async () => {
    const state = await eventfulState();
    const { replayed, ...verdict } = await verifyAudit(state);
    const head = state.connection.prepare('SELECT hash FROM budget_event WHERE id = 18').pluck().get();
    expect(verdict).toEqual({
      events: 18,
      head: { id: 18n, hash: head },
      broken: [],
      differences: [],
      isLedgerAlone: false,
    });
    const { customerId: customer } = someIntent();
    const amounts = [...(await lastSet(state.db, customer))].map(([budget, { to }]) => [`${customer}/${budget}`, to]);
    expect([...replayed.amounts].map(([key, { amount }]) => [key, amount])).toEqual(amounts);
    expect([...replayed.intents.values()].map((intent) => intent.state)).toEqual([
      'applied',
      'confirmed',
      'expired',
      'planned',
    ]);
  });

  it.each([
    ['the proposed amount', 34_000_000n, undefined, []],
    ['a smaller step', 37_000_000n, micros(37_000_000n), []],
    ['a smaller step of an earlier version, whose event does not name it', 37_000_000n, undefined, []],
    ['a larger amount', 33_000_000n, undefined, ['34000000', '33000000']],
    ['a larger amount that the event names', 33_000_000n, micros(33_000_000n), ['33000000', '33000000']],
    ['the other direction', 41_000_000n, undefined, ['34000000', '41000000']],
    ['another amount than the event names', 37_000_000n, micros(36_000_000n), ['36000000', '37000000']],
  ] as const)('knows whether a person may approve %s', async (_, to, approved, amounts) => {
    const state = await freshStore();
    const { db } = state;
    const expiry = { expiresAtMs: NOW_MS + 3_600_000 };
    await insertProposal(db, undefined, { ...someIntent(ONE), ...expiry }, NOW_MS, () => 'K7MX');
    const wanted = someIntent({ ...ONE, to: micros(to), origin: 'approval', actor: 'anna', proposalCode: 'K7MX' });
    const intent = await insertIntent(db, undefined, wanted, NOW_MS);
    await decideProposal(db, 'K7MX', { state: 'approved', by: 'anna', intentId: intent?.id ?? 0n, approved }, NOW_MS);
    const [named, made] = amounts;
    const words = `Event 3 approves ${named} of proposal K7MX, 40000000 to 34000000. But change B1 sets budget 201 from 40000000 to ${made}.`;
    expect(await foundIn(state)).toEqual({ broken: [], differences: made === undefined ? [] : [words] });
  });

  it('finds an approval that names the change of another budget', async () => {
    const state = await freshStore();
    const { db } = state;
    const expiry = { expiresAtMs: NOW_MS + 3_600_000 };
    await insertProposal(db, undefined, { ...someIntent(ONE), ...expiry }, NOW_MS, () => 'K7MX');
    const wanted = someIntent({ ...TWO, origin: 'approval', actor: 'anna', proposalCode: 'K7MX' });
    const intent = await insertIntent(db, undefined, wanted, NOW_MS);
    await decideProposal(db, 'K7MX', { state: 'approved', by: 'anna', intentId: intent?.id ?? 0n }, NOW_MS);
    expect((await foundIn(state)).differences).toEqual([expect.stringContaining('But change B1 sets budget 202')]);
  });

  it('accepts an empty trail', async () => {
    const verdict = await verifyAudit(await freshStore());
    expect(verdict).toMatchObject({
      events: 0,
      head: { id: 0n, hash: '0'.repeat(64) },
      broken: [],
      differences: [],
      isLedgerAlone: false,
    });
  });

  it('finds a missing end through the other tables', async () => {
    const state = await eventfulState();
    tamper(state, 'DELETE FROM budget_event WHERE id > 8');
    const { broken, differences } = await foundIn(state);
    expect(broken).toEqual([]);
    expect(differences).toEqual([
      'Change B2: state is "confirmed" in budget_intent, but "unknown" in its events.',
      'Change B2: updated_at is "2026-11-20T12:00:04Z" in budget_intent, but "2026-11-20T12:00:03Z" in its events.',
      'Change B3 is expired in budget_intent, but no event mentions it.',
      'Change B4 is planned in budget_intent, but no event mentions it.',
      'Proposal K7MX is approved in budget_proposal, but no event mentions it.',
      'Proposal K7MY is open in budget_proposal, but no event mentions it.',
      'A row of foreign_change names event 10, which records no such change.',
      'A row of decision names event 13, which records no decision.',
      'A row of decision names event 14, which records no decision.',
      'A row of decision names event 15, which records no decision.',
      'A row of decision names event 18, which records no decision.',
    ]);
  });

  const NAMES: Readonly<Record<string, string>> = {
    budget_intent: 'Change B1',
    budget_proposal: 'Proposal K7MX',
    foreign_change: 'The foreign change of event 10',
  };
  const ROWS = [
    ["budget_intent SET state = 'rejected'", 'state', '"rejected"', '"applied"'],
    ['budget_intent SET from_micros = 1', 'from_micros', '"1"', '"40000000"'],
    ['budget_intent SET to_micros = 1', 'to_micros', '"1"', '"34000000"'],
    ["budget_intent SET rule = 'x'", 'rule', '"x"', '"trim"'],
    ["budget_intent SET rule_version = ''", 'rule_version', '""', '"1f2e3d4c5b6a"'],
    ["budget_intent SET actor = 'x'", 'actor', '"x"', '"rule trim@1f2e3d4c5b6a"'],
    ["budget_intent SET kind = 'undo'", 'intent_kind', '"undo"', '"rule"'],
    ['budget_intent SET undoes = 2', 'undoes', '"2"', 'empty'],
    ['budget_intent SET customer_id = 7', 'customer_id', '"7"', '"1234567890"'],
    ['budget_intent SET budget_id = 7', 'budget_id', '"7"', '"201"'],
    ['budget_intent SET campaign_id = NULL', 'campaign_id', 'empty', '"21"'],
    ["budget_intent SET campaign_name = 'x'", 'campaign_name', '"x"', '"Trail Shoes"'],
    ["budget_intent SET account_day = '2026-11-19'", 'account_day', '"2026-11-19"', '"2026-11-20"'],
    ["budget_intent SET currency = 'USD'", 'currency', '"USD"', '"EUR"'],
    ["budget_intent SET amount_source = 'declared'", 'amount_source', '"declared"', '"read"'],
    ['budget_intent SET declared_micros = 7', 'declared_micros', '"7"', 'empty'],
    ['budget_intent SET floor_micros = 7', 'floor_micros', '"7"', '"5000000"'],
    ['budget_intent SET ceiling_micros = NULL', 'ceiling_micros', 'empty', '"200000000"'],
    ["budget_intent SET code = 'x'", 'code', '"x"', 'empty'],
    ["budget_intent SET outcome = 'x'", 'outcome', '"x"', 'empty'],
    ["budget_intent SET reason = 'x'", 'reason', '"x"', '"cost / clicks = 2.71 > 2.50"'],
    [
      "budget_intent SET updated_at = '2026-11-20T13:00:00Z'",
      'updated_at',
      '"2026-11-20T13:00:00Z"',
      '"2026-11-20T12:00:03Z"',
    ],
    ["budget_proposal SET state = 'open'", 'state', '"open"', '"approved"'],
    ['budget_proposal SET to_micros = 7', 'to_micros', '"7"', '"34000000"'],
    [
      "budget_proposal SET expires_at = '2030-01-01T00:00:00Z'",
      'expires_at',
      '"2030-01-01T00:00:00Z"',
      '"2026-11-20T13:00:00Z"',
    ],
    ['foreign_change SET found_micros = 7', 'found_micros', '"7"', '"50000000"'],
  ] as const;
  // PostgreSQL does not switch off a CHECK.
  const written = ROWS.filter(([update]) => byEngine({ sqlite: true, postgres: !update.includes('kind =') }));
  it.each(written)('finds UPDATE %s', async (update, column, found, expected) => {
    const state = await eventfulState();
    const [table = ''] = update.split(' ');
    tamper(state, `UPDATE ${update} WHERE ${firstOf(table)}`);
    const sentence = `${NAMES[table]}: ${column} is ${found} in ${table}, but ${expected} in its events.`;
    expect(await foundIn(state)).toEqual({ broken: [], differences: [sentence] });
  });

  const LEDGER = [
    [
      "UPDATE decision SET rule = 'x' WHERE event_id = 1",
      'Decision of event 1: rule is "x" in decision, but "trim" in its event.',
    ],
    [
      'UPDATE decision SET to_micros = 7 WHERE event_id = 1',
      'Decision of event 1: to_micros is "7" in decision, but "34000000" in its event.',
    ],
    [
      "UPDATE decision SET numbers = NULL, origin = 'rule' WHERE event_id = 15",
      'Decision of event 15: origin is "rule" in decision, but "approval" in its event.',
    ],
    ['DELETE FROM decision WHERE event_id = 5', 'Event 5 records a decision that is not in decision.'],
    [
      `INSERT INTO decision (event_id, kind, origin, dry_run, customer_id, account_day, rule, code, reason, decided_at)
        VALUES (11, 'refusal', 'rule', 0, 5, '2026-11-20', 'trim', 'COOLDOWN', 'x', '2026-11-20T12:00:00Z')`,
      'A row of decision names event 11, which records no decision.',
    ],
    ['UPDATE decision SET event_id = 99 WHERE event_id = 18', undefined],
  ] as const;
  it.each(LEDGER)('finds a ledger that differs from the events: %s', async (statement, sentence) => {
    const state = await eventfulState();
    tamper(state, statement);
    const moved = [
      'Event 18 records a decision that is not in decision.',
      'A row of decision names event 99, which records no decision.',
    ];
    expect(await foundIn(state)).toEqual({ broken: [], differences: sentence === undefined ? moved : [sentence] });
  });

  it('finds an emptied ledger', async () => {
    const state = await eventfulState();
    tamper(state, 'DELETE FROM decision');
    const events = [1, 5, 13, 14, 15, 18];
    expect(await foundIn(state)).toEqual({
      broken: [],
      differences: events.map((id) => `Event ${id} records a decision that is not in decision.`),
    });
  });

  const GONE = [
    ['budget_intent', 'Events mention change B1, which is not in budget_intent.'],
    ['budget_proposal', 'Events mention proposal K7MX, which is not in budget_proposal.'],
    ['foreign_change', 'Event 10 records a change that is not in foreign_change.'],
  ] as const;
  it.each(GONE)('finds a missing row of %s', async (table, sentence) => {
    const state = await eventfulState();
    tamper(state, `DELETE FROM ${table} WHERE ${firstOf(table)}`);
    expect(await foundIn(state)).toEqual({ broken: [], differences: [sentence] });
  });

  it('finds an impossible history, even in an unbroken chain', async () => {
    const state = await eventfulState();
    const budget = { customer_id: '1234567890', budget_id: '201', from_micros: '40000000', to_micros: '34000000' };
    await forge(state, { intentId: 1n, kind: 'sending', detail: JSON.stringify(budget) });
    const approved = { proposal_code: 'K7MX', proposal_state: 'approved' };
    await forge(state, { intentId: undefined, kind: 'approved', detail: JSON.stringify(approved) });
    const { broken, differences } = await foundIn(state);
    expect(broken).toEqual([]);
    expect(differences.filter((sentence) => sentence.startsWith('Event '))).toEqual([
      'Event 19 moves change B1 to sending, but it was applied before.',
      'Event 20 moves proposal K7MX to approved, but it was approved before.',
    ]);
  });

  it('does not block writers', async () => {
    const state = await eventfulState();
    const other = await freshStore(state.place, 0);
    await state.db
      .transaction()
      .setAccessMode('read only')
      .execute(async (trx) => {
        for await (const _event of allEvents(trx)) break;
        await recordFreeze(other.db, { by: 'anna', why: 'now' }, NOW_MS);
      });
    expect(await verifyAudit(state)).toMatchObject({ events: 19, broken: [] });
  });
});

it('a record without its triggers is not proven, even if unaltered', async () => {
  const state = await eventfulState();
  const table = byEngine({ sqlite: '', postgres: ' ON budget_event' });
  state.connection.exec(`DROP TRIGGER budget_event_is_not_changed${table}`);
  expect((await verifyAudit(state)).differences).toEqual([
    'Somebody may have altered the record: trigger budget_event_is_not_changed is missing.',
  ]);
});

describe('comparing the trail with the current budgets', () => {
  it('names each budget whose amount differs from the events', async () => {
    const { replayed } = await verifyAudit(await eventfulState());
    const live = (one: bigint, two: bigint) =>
      new Map([
        [ONE.budgetId, micros(one)],
        [TWO.budgetId, micros(two)],
        [budgetId('999'), micros(1n)],
      ]);
    const { customerId: customer } = someIntent();
    expect(compareAmounts(replayed, customer, live(34_000_000n, 50_000_000n))).toEqual([]);
    expect(compareAmounts(replayed, customer, live(34_000_000n, 60_000_000n))).toEqual([
      {
        customerId: customer,
        budgetId: TWO.budgetId,
        found: 60_000_000n,
        recorded: 50_000_000n,
        eventId: 10n,
        unanswered: undefined,
      },
    ]);
    expect(compareAmounts(replayed, customer, new Map())).toEqual([]);
    expect(compareAmounts(replayed, customerId('1'), live(1n, 1n))).toEqual([]);
  });
});
