import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { customerId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { verifyAudit } from '../../src/engine/budgets/verify-audit.ts';
import { insertIntent, moveIntent, openIntents } from '../../src/storage/records/budgets/intent-table.ts';
import { lastSet } from '../../src/storage/records/budgets/past-changes.ts';
import { freshState, NOW_MS, someIntent } from '../support/state.ts';
import { fileOfVersion } from '../support/state-of-version.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A file as the program before events left it. */
async function fileOfBefore(): Promise<string> {
  const path = join(tempDir(), 'state.sqlite');
  await fileOfVersion(2, path);
  const file = new Database(path);
  for (const statement of [RUN, ...INTENTS]) file.exec(statement);
  file.close();
  return path;
}

const RUN = `INSERT INTO run (id, command, target, mode, dry_run, state, started_at)
  VALUES (7, 'report', 'sandbox', 'apply', 0, 'running', '2026-11-01T12:00:00Z')`;

/** An intent of each state; the later ones came to theirs earlier. */
const STATES = [
  'planned',
  'validated',
  'sending',
  'applied',
  'rejected',
  'unknown',
  'confirmed',
  'superseded',
  'expired',
];
const INTENTS = STATES.map(
  (state, index) => `INSERT INTO budget_intent VALUES (${index + 3}, 7, 1234567890, ${300 + index}, 21,
    'Trail "Shoes" €', '2026-11-19', 'EUR', 'trim', 40000000, 34000000, 'read', '${state}', 'CODE', 'dear clicks', 'so it went',
    '2026-11-19T12:00:00Z', '2026-11-19T12:00:${59 - index}Z')`,
);

const tableOf = (path: string, sql: string) => {
  const file = new Database(path, { readonly: true });
  file.defaultSafeIntegers(true);
  const rows = file.prepare(sql).all();
  file.close();
  return rows;
};

describe('a state file from before events existed', () => {
  it('gets one event per intent, in the order of their last moves, and a valid chain', async () => {
    const path = await fileOfBefore();
    const state = await freshState(path);
    const { events, broken, differences } = await verifyAudit(state);
    expect({ events, broken, differences }).toEqual({ events: 9, broken: [], differences: [] });
    const [first] = tableOf(path, 'SELECT * FROM budget_event ORDER BY id');
    expect(first).toMatchObject({ id: 1n, intent_id: 11n, kind: 'recorded', actor: 'rule trim' });
    expect(first).toMatchObject({ created_at: '2026-11-19T12:00:51Z', previous_hash: '0'.repeat(64) });
    expect(tableOf(path, "SELECT DISTINCT kind, detail ->> 'run_id' AS run FROM budget_event")).toEqual([
      { kind: 'recorded', run: '7' },
    ]);
  });

  it('keeps working from there', async () => {
    const state = await freshState(await fileOfBefore());
    const open = await openIntents(state.db);
    expect(open.map((intent) => intent.state)).toEqual(['planned', 'validated', 'sending', 'unknown']);
    for (const intent of open.slice(2)) {
      const sending =
        intent.state === 'sending' ? intent : await moveIntent(state.db, intent, { to: 'sending' }, NOW_MS);
      await expect(moveIntent(state.db, sending, { to: 'expired' }, NOW_MS)).rejects.toThrow('its outcome is unknown');
      await moveIntent(state.db, sending, { to: 'applied' }, NOW_MS);
    }
    const next = await insertIntent(state.db, 7n, someIntent({ to: micros(30_000_000n) }), NOW_MS);
    expect(next).toMatchObject({ id: 12n });
    expect(await verifyAudit(state)).toMatchObject({ events: 13, broken: [], differences: [] });
    const set = await lastSet(state.db, customerId('1234567890'));
    expect([...set.keys()]).toEqual(['306', '303', '302', '305']);
  });
});
