import { cpSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import { verifyAudit } from '../../src/engine/budgets/verify-audit.ts';
import { decisionsSince } from '../../src/storage/records/budgets/decision-table.ts';
import { holdsHead } from '../../src/storage/records/budgets/record-head.ts';
import { MIGRATION_NAMES } from '../../src/storage/records/migrations.ts';
import { notesOfRun } from '../../src/storage/records/runs/run-result-table.ts';
import { lookAtState } from '../../src/storage/records/sqlite/look-at-state.ts';
import { openState } from '../../src/storage/records/sqlite/open-state.ts';
import { sample } from '../support/effort.ts';
import { freshState } from '../support/state.ts';
import { fileOfVersion } from '../support/state-of-version.ts';
import { tempDir } from '../support/temp-dir.ts';

const FOLDER = 'test/fixtures/state';
const VERSIONS = MIGRATION_NAMES.map((name) => name.slice(0, 4));
const OLDER = VERSIONS.slice(0, -1);

/** A state file with the schema of that version, made by its migrations and filled by hand: test/fixtures/state/make.ts says how. */
function fileOf(version: string): string {
  const path = join(tempDir(), 'state.sqlite');
  cpSync(join(FOLDER, `${version}.sqlite`), path);
  return path;
}

type Row = Record<string, unknown>;
type Content = Record<string, Row[]>;

/** Every table with its rows by their numbers, and the schema. */
function contentOf(path: string): Content {
  const file = new Database(path, { readonly: true });
  file.defaultSafeIntegers(true);
  try {
    const names = file.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    const rows = (name: string) => file.prepare<[], Row>(`SELECT * FROM "${name}" ORDER BY 1, 2`).all();
    const schema = file.prepare<[], Row>('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all();
    const columns = names.map((name) => ({ table: name, names: file.pragma(`table_info("${name}")`) }));
    return { ...Object.fromEntries(names.map((name) => [name, rows(name)])), schema, columns };
  } finally {
    file.close();
  }
}

/** Of a table with no rows, too. */
function columnsOf({ columns }: Content, table: string): string[] {
  const names = columns?.find((one) => one.table === table)?.names as readonly { readonly name: string }[] | undefined;
  return names?.map(({ name }) => name) ?? [];
}

/** Columns that a later version says otherwise or holds no longer, and why that is no loss. Every other one must be there with its value. */
const SAID_ANEW: Readonly<Record<string, readonly string[]>> = {
  // An alert of before conditions were followed is one that was told, and over.
  alert: ['state'],
  // What a provider answered to an alert that is over: nothing acts on it, and of messages there were none to keep it with.
  // Who acknowledged an alert stays with the alert (tested below).
  outbox: ['response', 'acknowledged_by'],
  // A note was a code and a sentence; the sentence stays (tested below).
  run: ['notes'],
};
const NOT_ROWS = ['schema', 'columns', 'sqlite_sequence', 'kysely_migration', 'kysely_migration_lock'];

it('there is a state file for every version, and a new migration must add one', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.sqlite'));
  expect(files).toEqual(VERSIONS.map((version) => `${version}.sqlite`));
  expect(files.map((_, index) => lookAtState(fileOf(VERSIONS[index] ?? '')))).toEqual(
    VERSIONS.map((version) => ({ kind: version === VERSIONS.at(-1) ? 'sound' : 'older', version })),
  );
});

describe.each(sample(VERSIONS))('a state file of version %s', (version) => {
  it('is brought up to date and keeps all its data', async () => {
    const path = fileOf(version);
    const before = contentOf(path);
    const state = await freshState(path);
    const after = contentOf(path);
    expect(lookAtState(path, 'thorough')).toEqual({ kind: 'sound', version: VERSIONS.at(-1) });
    let compared = 0;
    for (const [table, rows] of Object.entries(before)) {
      if (NOT_ROWS.includes(table)) continue;
      const columns = columnsOf(before, table).filter((name) => !SAID_ANEW[table]?.includes(name));
      // A column that is gone is one whose value is undefined, and so is every row of a table that is.
      const kept = (row: Row) => columns.map((name) => [name, row[name]]);
      expect([table, after[table]?.map(kept)]).toEqual([table, rows.map(kept)]);
      expect([table, columnsOf(after, table)]).toEqual([table, expect.arrayContaining(columns)]);
      compared += rows.length * columns.length;
    }
    expect(compared).toBeGreaterThan(150);
    // What was noted elsewhere before the file was brought up to date still proves it.
    const [head] = (before.budget_event ?? []).toReversed();
    if (head !== undefined)
      expect(await holdsHead(state.db, { id: head.id as bigint, hash: head.hash as string })).toBe(true);
    const { events, broken, differences } = await verifyAudit(state);
    expect({ broken, differences }).toEqual({ broken: [], differences: [] });
    expect(events).toBeGreaterThan(5);
  });
});

it('a note with a code from version 0007 becomes its sentence', async () => {
  const path = fileOf('0007');
  const [run] = (contentOf(path).run ?? []).filter(({ notes }) => notes !== null);
  const [{ text }] = JSON.parse(String(run?.notes));
  const { db } = await freshState(path);
  expect(await notesOfRun(db, run?.id as bigint)).toEqual([text]);
});

/** Before the ledger, refusals and what a dry run would have changed were in no table. */
const WITHOUT_LEDGER = OLDER.filter((version) => version < '0007');

it.each(sample(WITHOUT_LEDGER))(
  'the ledger of a state file of version %s has each change and proposal, and nothing else',
  async (version) => {
    const { db, connection } = await freshState(fileOf(version));
    const count = (sql: string) => connection.prepare(sql).pluck().get();
    const decided = 'SELECT (SELECT count(*) FROM budget_intent) + (SELECT count(*) FROM budget_proposal)';
    expect(count('SELECT count(*) FROM decision')).toBe(count(decided));
    expect(count('SELECT count(*) FROM decision')).toBeGreaterThan(1n);
    expect(count('SELECT count(*) FROM decision WHERE coalesce(subject, numbers, code, facts) IS NOT NULL')).toBe(0n);
    for (const { facts, intent, proposal } of await decisionsSince(db, '')) {
      expect([facts, (intent ?? proposal)?.state]).toEqual([undefined, expect.any(String)]);
    }
  },
);

/** SQLite's own disk-full: the connection may not grow by more than so many pages. Undone when the test ends. */
function limitGrowth(pages: number): void {
  const original = Database.prototype.pragma;
  vi.spyOn(Database.prototype, 'pragma').mockImplementation(function (this: Database.Database, source, options) {
    const result = original.call(this, source, options);
    if (source === 'foreign_keys = ON') {
      const count = original.call(this, 'page_count', { simple: true }) as bigint;
      original.call(this, `max_page_count = ${count + BigInt(pages)}`);
    }
    return result;
  });
}

describe.each(sample(OLDER))('a migration from version %s', (version) => {
  it('leaves the old file if the disk fills up at any point, and a later run succeeds', async () => {
    const path = fileOf(version);
    const before = contentOf(path);
    let failed = 0;
    for (let pages = 0; ; pages += 2) {
      limitGrowth(pages);
      const outcome = await openState(path).then(
        (state) => state.close(),
        (error: unknown) => error,
      );
      vi.restoreAllMocks();
      if (outcome === undefined) break;
      expect(outcome).toMatchObject({ code: 'SQLITE_FULL' });
      expect(contentOf(path)).toEqual(before);
      expect(lookAtState(path)).toEqual({ kind: 'older', version });
      failed++;
    }
    // What only adds columns needs no room.
    if (version < '0004') expect(failed).toBeGreaterThan(2);
    expect(lookAtState(path)).toEqual({ kind: 'sound', version: VERSIONS.at(-1) });
    expect(statSync(path).size).toBeGreaterThan(0);
  });
});

it('0014 takes the list of channels out of the tables, and keeps messages, their alerts, replies and their numbers', async () => {
  const path = join(tempDir(), 'state.sqlite');
  await fileOfVersion(13, path);
  const at = "'2026-11-19T12:00:00Z'";
  const before = new Database(path);
  before.exec(`
    INSERT INTO alert (id, dedupe_key, kind, state, severity, text, fired_at, created_at, updated_at)
      VALUES (1, 'e', 'event', 'firing', 'warning', 'Cut.', ${at}, ${at}, ${at});
    INSERT INTO message (id, channel, recipient, text, reference, state, provider_id, attempts, account, sender, created_at, updated_at)
      VALUES (3, 'graph', '4915112345678', 'Cut.', 'ACDEFGHJ', 'accepted', 'wamid.1', 1, 'account', 'sender', ${at}, ${at}),
        (9, 'messages', 'whatsapp:+4915112345678', 'Gone.', 'ACDEFGHK', 'pending', NULL, 0, NULL, NULL, ${at}, ${at});
    INSERT INTO outbox (id, alert_id, occasion, reason, severity, text, short, channel, recipient, state, message_id, error,
        withdrawn_because, lost_at, acknowledged_by, created_at, updated_at)
      VALUES (5, 1, 1, 'event', 'warning', 'Cut.', 'short', 'graph', '4915112345678', 'accepted', 3, 'error', 'silenced', ${at}, 'anna', ${at}, ${at});
    INSERT INTO reply (id, dedupe_key, channel, sender, text, outcome, answer, received_at, handled_at)
      VALUES (7, 'k', 'messages', 'whatsapp:+4915112345678', 'NO', 'declined', 'answer', ${at}, ${at});
    DELETE FROM message WHERE id = 9;`);
  before.close();
  const rowsOf = (file: string) => {
    const { message, outbox = [], reply } = contentOf(file);
    return { message, outbox: outbox.map((row) => ({ ...row, acknowledged_by: undefined })), reply };
  };
  const kept = rowsOf(path);
  await freshState(path);
  expect(rowsOf(path)).toEqual(kept);
  expect(kept.message).toHaveLength(1);
  // 0016 keeps who acknowledged the alert.
  expect(contentOf(path).alert).toMatchObject([{ acknowledged_by: 'anna', acknowledged_at: '2026-11-19T12:00:00Z' }]);
  const after = new Database(path);
  expect(after.pragma('foreign_key_check')).toEqual([]);
  const { id } = after
    .prepare(
      `INSERT INTO message (channel, recipient, text, reference, state, created_at, updated_at)
        VALUES ('mail', 'anna@example.com', 'Cut.', 'ACDEFGHM', 'pending', ${at}, ${at}) RETURNING id`,
    )
    .get() as { id: number };
  after.close();
  expect(id).toBe(10);
});
