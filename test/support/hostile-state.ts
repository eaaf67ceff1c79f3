import { budgetId, customerId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { beginCall } from '../../src/storage/records/agent-call-table.ts';
import { enqueueAlert, notify } from '../../src/storage/records/alerts/alert-table.ts';
import { insertSilence } from '../../src/storage/records/alerts/silence-table.ts';
import { recordDecision } from '../../src/storage/records/budgets/decision-table.ts';
import { recordForeignChange, suspectChange } from '../../src/storage/records/budgets/foreign-change-table.ts';
import { insertIntent, moveIntent } from '../../src/storage/records/budgets/intent-table.ts';
import { insertProposal } from '../../src/storage/records/budgets/proposal-table.ts';
import { insertLink } from '../../src/storage/records/read-link-table.ts';
import { upsertAccounts } from '../../src/storage/records/runs/account-table.ts';
import { recordRunAccounts } from '../../src/storage/records/runs/run-account-table.ts';
import { recordRunResult } from '../../src/storage/records/runs/run-result-table.ts';
import { endRun, startRun } from '../../src/storage/records/runs/run-table.ts';
import { saveQuestion } from '../../src/storage/records/saved-question-table.ts';
import { openState } from '../../src/storage/records/sqlite/open-state.ts';
import { NOW_MS, someIntent } from './state.ts';

/** A name that must never become more than a name. */
export const HOSTILE = `<script>alert(document.cookie)</script><img src=x onerror="alert('1')">\u202e&amp;`;

export const HOSTILE_CUSTOMER = customerId('1234567890');
export const HOSTILE_BUDGET = budgetId('201');
export const PHONE = '+4915112345678';
/** One of the settings, MESSAGES_PASSWORD. */
export const SECRET = 'a-password-of-somebody';

/** A state file with something of everything, in which whatever anybody may name is named {@link HOSTILE}. */
export async function fillHostileState(path: string): Promise<void> {
  const state = await openState(path);
  const { db, connection } = state;
  const minutes = (count: number) => NOW_MS - count * 60_000;
  await upsertAccounts(
    db,
    [{ customerId: HOSTILE_CUSTOMER, name: HOSTILE, currency: 'EUR', timeZone: 'Europe/Berlin' }],
    minutes(60),
  );
  const start = { command: 'report', target: HOSTILE, targetKind: 'sandbox' as const, mode: 'approve', dryRun: false };
  const counts = { accounts: 1, rowsRead: 1234n, budgetChanges: 1, messagesSent: 1, operations: 4 };
  // As many as do not fit a page, and none of them worth a commit of its own.
  connection.exec(`INSERT INTO run (command, target, target_kind, mode, dry_run, state, started_at, ended_at, rows_read)
    SELECT 'report', 'sandbox', 'sandbox', 'approve', 0, 'done', strftime('%FT%TZ', '2026-11-20', '+' || value || ' minutes'),
      strftime('%FT%TZ', '2026-11-20', '+' || (value + 1) || ' minutes'), 1234
    FROM (WITH RECURSIVE runs(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM runs WHERE value < 59) SELECT value FROM runs)`);
  const id = await startRun(db, { ...start, nowMs: minutes(141) });
  const failures = [`The account ${HOSTILE} of ${PHONE} failed with ${SECRET}.`, 'Another failed, too.'];
  await endRun(db, id, { ...counts, state: 'failed', nowMs: minutes(140), failures });
  await recordRunAccounts(db, 60n, [{ customerId: HOSTILE_CUSTOMER, state: 'failed', reason: HOSTILE }]);
  await fillBudgets(db, minutes);
  const text = `${HOSTILE} call ${PHONE}, the key is ${SECRET}`;
  const told = { severity: 'critical', customerId: HOSTILE_CUSTOMER, rule: HOSTILE, text } as const;
  await enqueueAlert(db, { ...told, dedupeKey: 'a change' }, minutes(20));
  await notify(db, { ...told, dedupeKey: 'a condition', kind: 'condition', reason: 'first' }, minutes(10));
  connection.exec(`UPDATE outbox SET recipient = 'whatsapp:${PHONE}', error = '${HOSTILE.replaceAll("'", "''")}'`);
  const query = `SELECT '${HOSTILE.replaceAll("'", "''")}' FROM a_table_that_is_gone`;
  const question = { name: HOSTILE.slice(0, 80), sentence: HOSTILE, query, chart: 'kind=bar', savedBy: HOSTILE };
  await saveQuestion(db, question, minutes(5));
  const fixed = {
    columns: [HOSTILE],
    customers: [HOSTILE_CUSTOMER],
    from: civilDate('2026-11-01'),
    where: { [HOSTILE]: HOSTILE },
    named: [HOSTILE],
  };
  const link = { name: HOSTILE, questionId: 1n, fixed, sha256: '0'.repeat(64), createdBy: HOSTILE };
  const called = {
    agent: HOSTILE,
    client: HOSTILE,
    clientVersion: HOSTILE,
    tool: HOSTILE,
    argumentsSha256: '0'.repeat(64),
  };
  await beginCall(db, called, { callsAnHour: 1, keepCallsDays: 400 }, minutes(5));
  await insertLink(db, { ...link, expiresAt: '2027-05-01T00:00:00Z' }, minutes(5));
  await insertSilence(
    db,
    {
      customerId: undefined,
      rule: HOSTILE,
      severity: undefined,
      createdBy: HOSTILE,
      why: HOSTILE,
      expiresAtMs: NOW_MS + 3_600_000,
    },
    minutes(5),
  );
  fillDays(connection);
  await state.close();
}

async function fillBudgets(db: Parameters<typeof insertIntent>[0], minutes: (count: number) => number): Promise<void> {
  const hostile = { campaignName: HOSTILE, reason: HOSTILE, actor: HOSTILE };
  const planned = await insertIntent(db, 60n, someIntent(hostile), minutes(90));
  if (planned === undefined) throw new Error('Expected a first change.');
  const validated = await moveIntent(db, planned, { to: 'validated' }, minutes(90));
  const sending = await moveIntent(db, validated, { to: 'sending' }, minutes(90));
  await moveIntent(db, sending, { to: 'applied', outcome: HOSTILE }, minutes(90));
  const amounts = { expected: micros(34_000_000n), found: micros(50_000_000n) };
  const about = { customerId: HOSTILE_CUSTOMER, budgetId: HOSTILE_BUDGET, accountDay: civilDate('2026-11-20') };
  await recordForeignChange(db, { ...about, ...amounts }, minutes(30));
  const again = { expected: amounts.found, found: amounts.expected };
  await suspectChange(db, HOSTILE_CUSTOMER, { ...about, ...again }, minutes(31));
  const {
    kind: _kind,
    undoes: _undoes,
    actor: _actor,
    ...decided
  } = someIntent({ ...hostile, from: micros(50_000_000n) });
  await insertProposal(db, 60n, { ...decided, expiresAtMs: NOW_MS + 3_600_000 }, minutes(15), () => '7K3A');
  const other = someIntent({ ...hostile, budgetId: budgetId('202') });
  await insertIntent(db, 60n, other, minutes(12));
  const decidedOn = { subjectKind: 'campaign', subject: HOSTILE, numbers: [{ name: HOSTILE, value: '1' }] } as const;
  const suggested = {
    ...decided,
    decidedOn,
    reasonWithoutAmounts: HOSTILE,
    kind: 'would_change',
    mode: 'propose',
    code: undefined,
    facts: undefined,
    dryRun: false,
  } as const;
  await recordDecision(db, 60n, suggested, minutes(11));
  const facts = {
    budgetId: `${PHONE} with ${SECRET}`,
    by: 'rule',
    day: '2026-11-19',
    cooldownDays: 3,
    until: '2026-11-22',
  };
  const refusal = {
    ...suggested,
    reasonWithoutAmounts: undefined,
    kind: 'refusal',
    mode: undefined,
    code: 'COOLDOWN',
    facts,
  } as const;
  await recordDecision(db, 60n, refusal, minutes(11));
  // A later run that comes to the same.
  await recordDecision(db, 59n, refusal, minutes(10));
  const target = {
    rule: HOSTILE,
    customerId: HOSTILE_CUSTOMER,
    accountName: undefined,
    subject: HOSTILE,
    currency: 'EUR',
    state: 'low',
    target: 3_000_000_000n,
    spent: 2n ** 63n,
    idealToDate: 1n,
    projected: undefined,
    budget: 1n,
    shouldBe: -1n,
    covers: [HOSTILE],
    dateFrom: undefined,
    dateTo: undefined,
    unsettled: undefined,
    mode: HOSTILE,
    members: [HOSTILE_CUSTOMER],
    rates: [{ date: civilDate('2026-11-19'), from: HOSTILE, to: HOSTILE, rate: HOSTILE }],
    reason: HOSTILE,
    days: [{ date: civilDate('2026-11-19'), ideal: 2n ** 63n, cost: -1n }],
  };
  await recordRunResult(db, 60n, { notes: [HOSTILE], targets: [target] });
}

function fillDays(connection: Awaited<ReturnType<typeof openState>>['connection']): void {
  connection.exec(`
    INSERT INTO slice (run_id, query, query_text, customer_id, date_from, date_to, expected, state, started_at, ended_at)
      VALUES (60, 'keyword_stats', 'SELECT', 1234567890, '2026-10-01', '2026-11-19', 0, 'done', '2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z');
    INSERT INTO account_day (query, customer_id, date, query_text, state, rows, totals, slice_id, read_at)
      SELECT 'keyword_stats', 1234567890, date('2026-10-01', value || ' days'), 'SELECT',
        iif(value < 40, 'settled', 'provisional'), 10, '{}', 1, '2026-11-20T10:00:00Z'
      FROM (WITH RECURSIVE days(value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM days WHERE value < 45)
        SELECT value FROM days) WHERE value <> 12;`);
}
