import { budgetId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { verifyAudit } from '../../src/engine/budgets/verify-audit.ts';
import { chainHash } from '../../src/storage/records/budgets/audit-chain.ts';
import { allEvents, type BudgetEvent } from '../../src/storage/records/budgets/event-table.ts';
import { recordForeignChange } from '../../src/storage/records/budgets/foreign-change-table.ts';
import { recordFreeze, recordUnfreeze } from '../../src/storage/records/budgets/freeze-record.ts';
import { insertIntent, moveIntent } from '../../src/storage/records/budgets/intent-table.ts';
import { decideProposal, insertProposal } from '../../src/storage/records/budgets/proposal-table.ts';
import type { RecordStore } from '../../src/storage/records/record-store.ts';
import { type AnyStore, APPLIED, byEngine, freshStore, intentAfter, NOW_MS, someIntent, UNKNOWN } from './state.ts';

export const ONE = { budgetId: budgetId('201') };
export const TWO = { budgetId: budgetId('202') };
const THREE = { budgetId: budgetId('203') };
const EXPIRY = { expiresAtMs: NOW_MS + 3_600_000 };

/** Everything that events tell of, in 18 of them: see the numbers beside them. */
export const eventfulState = async (): Promise<AnyStore> => fillWithEvents(await freshStore());

export async function fillWithEvents<State extends Pick<RecordStore, 'db'>>(state: State): Promise<State> {
  const { db } = state;
  const applied = await intentAfter(state, APPLIED, ONE); // 1 to 4
  await intentAfter(state, [...UNKNOWN, 'confirmed'], TWO); // 5 to 9
  const found = { expected: micros(34_000_000n), found: micros(50_000_000n) };
  const foreign = { customerId: applied.customerId, ...TWO, accountDay: civilDate('2026-11-20'), ...found };
  await recordForeignChange(db, foreign, NOW_MS); // 10
  await recordFreeze(db, { by: 'anna', why: 'a sale' }, NOW_MS); // 11
  await recordUnfreeze(state.db, { by: 'anna', why: 'it is over' }, NOW_MS); // 12
  await insertProposal(db, undefined, { ...someIntent(THREE), ...EXPIRY }, NOW_MS, () => 'K7MX'); // 13
  await insertProposal(db, undefined, { ...someIntent(ONE), ...EXPIRY }, NOW_MS, () => 'K7MY'); // 14
  const wanted = someIntent({ ...THREE, origin: 'approval', actor: 'anna', proposalCode: 'K7MX' });
  const approved = await insertIntent(db, undefined, wanted, NOW_MS); // 15
  if (approved === undefined) throw new Error('The budget has its change of the day.');
  await decideProposal(db, 'K7MX', { state: 'approved', by: 'anna', intentId: approved.id }, NOW_MS); // 16
  await moveIntent(db, approved, { to: 'expired', outcome: 'Frozen.' }, NOW_MS); // 17
  await insertIntent(db, undefined, someIntent({ ...THREE, to: micros(36_000_000n) }), NOW_MS); // 18
  return state;
}

/** For someone who may write the file or the database, triggers and references are no obstacle. */
export function withoutGuards(): readonly string[] {
  return byEngine({
    sqlite: [
      'PRAGMA foreign_keys = OFF',
      'PRAGMA ignore_check_constraints = ON',
      ...GUARDS.map((name) => `DROP TRIGGER IF EXISTS ${name}`),
    ],
    postgres: [
      'SET session_replication_role = replica',
      `DO $$ DECLARE rule record; BEGIN
        FOR rule IN SELECT conrelid::regclass AS place, conname FROM pg_constraint
          WHERE contype = 'c' AND connamespace = 'pacekeeper'::regnamespace
        LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', rule.place, rule.conname); END LOOP; END $$`,
      ...GUARDS.map((name) => `DROP TRIGGER IF EXISTS ${name} ON budget_event`),
    ],
  });
}

export function tamper({ connection }: Pick<AnyStore, 'connection'>, ...statements: readonly string[]): void {
  for (const statement of [...withoutGuards(), ...statements]) connection.exec(statement);
}

const GUARDS = ['is_not_changed', 'is_not_deleted', 'goes_on'].map((name) => `budget_event_${name}`);

/** Adds an event that follows the last one, as the program would. */
export async function forge(
  { db, connection }: AnyStore,
  event: { readonly intentId: bigint | undefined; readonly kind: string; readonly detail: string },
): Promise<void> {
  let last: BudgetEvent | undefined;
  for await (const one of allEvents(db)) last = one;
  if (last === undefined) throw new Error('There are events.');
  const forged = { ...event, id: last.id + 1n, actor: 'x', createdAt: last.createdAt, previousHash: last.hash };
  const { id, intentId, kind, actor, detail, createdAt, previousHash } = forged;
  connection
    .prepare('INSERT INTO budget_event VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id')
    .get(id, intentId, kind, actor, detail, createdAt, previousHash, chainHash(forged));
}

/** What is found of the rows: that {@link tamper} took the triggers away is found, too, and left out here. */
export async function foundIn(state: RecordStore) {
  const { broken, differences } = await verifyAudit(state);
  return {
    broken: broken.map(({ eventId, kind }) => `${kind} at ${eventId}`),
    differences: differences.filter((one) => !one.startsWith('Somebody may have altered the record')),
  };
}

/** What is wrong with the record of changes, a sentence each: links that do not hold, tables that say something else. */
export async function findAuditProblems(state: RecordStore): Promise<string[]> {
  const { broken, differences } = await verifyAudit(state);
  return [...broken.map(({ sentence }) => sentence), ...differences];
}
