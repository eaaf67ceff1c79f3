import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acquireRunLock } from '../../../src/storage/records/sqlite/run-lock.ts';
import { damageTable, leaveBehind } from '../../support/damage.ts';
import { fileOfVersion } from '../../support/state-of-version.ts';
import { tablesOf, type UsedFolder, usedFolder } from '../../support/used-folder.ts';

const COPY = 'copy.sqlite';
const RESTORE = ['restore', COPY];
const KEPT = 'state-before-restore-2026-11-20T120000Z.sqlite';

/** With a copy of before the second report, which changed the budget once more. */
async function withCopy(): Promise<UsedFolder> {
  const used = await usedFolder();
  expect(await used.run(['backup', COPY])).toMatchObject({ code: 0 });
  return used;
}

async function withCopyAndMore(): Promise<UsedFolder> {
  const used = await withCopy();
  expect(await used.run(['budgets', 'undo', 'B1'])).toMatchObject({ code: 0 });
  return used;
}

const amounts = 'SELECT from_micros, to_micros, state FROM budget_intent ORDER BY id';

/** What stands in the data folder under the name of the state file, whatever it is for. */
const stateFiles = (used: UsedFolder) =>
  readdirSync(used.at('data'))
    .filter((name) => /state/.test(name))
    .sort();

describe('pacekeeper restore', () => {
  it('restores the copy for its owner only, keeps the old file, and says what the copy lacks', async () => {
    const used = await withCopyAndMore();
    const before = tablesOf(used.state);
    const copied = tablesOf(used.at(COPY));
    const { code, stdout, stderr } = await used.run([...RESTORE, '--why', 'a trial']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(
      `Restored data/state.sqlite from ${COPY}. The newest run in it is 1, started 2026-11-20 12:00 UTC.`,
    );
    expect(stdout).toContain(`The old file is kept as data/${KEPT}.`);
    expect(stdout).toMatch(
      /Not in the copy: run 2 and \d events of the record\. Run pacekeeper extract to read the days/,
    );
    expect(stdout).toMatch(/\nnext step: Run pacekeeper audit verify.*pacekeeper unfreeze --why "…"\.\n$/);
    expect(stateFiles(used)).toEqual([KEPT, 'state.sqlite']);
    expect(tablesOf(used.at('data', KEPT))).toEqual(before);
    expect(statSync(used.state).mode & 0o777).toBe(0o600);
    const { budget_event: events, sqlite_sequence: _, ...others } = tablesOf(used.state);
    const { budget_event: eventsCopied = [], sqlite_sequence: __, ...othersCopied } = copied;
    expect(others).toEqual(othersCopied);
    expect(events?.slice(0, -2)).toEqual(eventsCopied);
    const [last, restored] = used.rows('SELECT kind, actor, detail FROM budget_event ORDER BY id DESC LIMIT 2');
    expect(restored).toEqual({
      kind: 'restored',
      actor: 'anna',
      detail: `{"copy":"${COPY}","version":2,"why":"a trial"}`,
    });
    expect(last).toEqual({
      kind: 'frozen',
      actor: 'anna',
      detail: expect.stringMatching(/restored from .*copy\.sqlite.*a trial/),
    });
    expect(await used.run(['audit', 'verify', '--offline'])).toMatchObject({ code: 0 });
  });

  it.each(['wal', 'journal'] as const)('ignores and keeps the %s of a deleted file', async (kind) => {
    const used = await withCopy();
    leaveBehind(used.state, kind);
    rmSync(used.state);
    const copied = tablesOf(used.at(COPY));
    expect(await used.run(RESTORE)).toMatchObject({ code: 0 });
    expect(tablesOf(used.state).run).toEqual(copied.run);
    expect(tablesOf(used.state)).not.toHaveProperty('left_behind');
    expect(stateFiles(used)).toContain(`${KEPT}-${kind}`);
    expect(await used.run(['audit', 'verify', '--offline'])).toMatchObject({ code: 0 });
  });

  it('stops rules from changing a budget that changed after the copy, until a person unfreezes', async () => {
    const used = await usedFolder();
    used.execute('CREATE TABLE only_here (x)');
    const empty = await usedFolder();
    // A copy from before the first change of the day.
    rmSync(empty.at('data'), { recursive: true });
    expect(await empty.run(['extract'])).toMatchObject({ code: 0 });
    expect(await empty.run(['backup', COPY])).toMatchObject({ code: 0 });
    cpSync(empty.at(COPY), used.at(COPY));
    expect(await used.run(RESTORE)).toMatchObject({ code: 0 });
    const report = await used.run(['report', '--no-extract']);
    expect([report.code, report.stdout]).toEqual([0, expect.stringMatching(/FROZEN|frozen by anna/)]);
    expect(used.rows(amounts)).toEqual([]);
    expect(await used.run(['unfreeze', '--why', 'looked at'])).toMatchObject({ code: 0 });
    // It had become 51.00, which the copy does not know: this is why it was frozen. The service's history says it.
    expect((await used.run(['report', '--no-extract', '--verbose'])).stdout).toMatch(
      /changed elsewhere from 60\.00 EUR to 51\.00 EUR/,
    );
    expect(used.rows(amounts)).toEqual([]);
    expect(await used.run(['report'], '2026-11-21T12:00:00Z')).toMatchObject({ code: 0 });
    expect(used.rows(amounts)).toMatchObject([{ from_micros: 51_000_000 }]);
  });

  it('freezes nothing if the old file has the same record', async () => {
    const used = await withCopy();
    expect(await used.run(['extract'])).toMatchObject({ code: 0 });
    const { code, stdout } = await used.run(RESTORE);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('Not in the copy: run 2. Run pacekeeper extract to read the days'),
    ]);
    expect(stdout).toContain('so the restore freezes no budgets');
    expect(used.rows("SELECT 1 FROM budget_event WHERE kind = 'frozen'")).toEqual([]);
  });

  it('recovers a folder whose file is damaged, with its journal, or deleted', async () => {
    const used = await withCopyAndMore();
    damageTable(used.state, 'budget_event');
    writeFileSync(`${used.state}-wal`, 'a journal of the damaged file');
    const bytes = readFileSync(used.state);
    const { code, stdout } = await used.run(RESTORE);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('The old file could not be read. pacekeeper does not know which changes'),
    ]);
    expect(stdout).toContain('Budgets are frozen');
    expect(stateFiles(used)).toEqual([KEPT, `${KEPT}-wal`, 'state.sqlite']);
    expect(readFileSync(used.at('data', KEPT)).equals(bytes)).toBe(true);
    expect(await used.run(['audit', 'verify', '--offline'])).toMatchObject({ code: 0 });
    rmSync(used.at('data'), { recursive: true });
    const gone = await used.run(RESTORE);
    expect([gone.code, gone.stdout]).toEqual([0, expect.not.stringContaining('kept as')]);
    expect(stateFiles(used)).toEqual(['state.sqlite']);
  });

  it('updates a copy of an earlier version, and refuses one of a newer version', async () => {
    const used = await withCopy();
    rmSync(used.at(COPY));
    await fileOfVersion(2, used.at(COPY));
    expect(await used.run(RESTORE)).toMatchObject({ code: 0 });
    expect(await used.run(['status'])).toMatchObject({ code: 0 });
    const copy = new Database(used.at(COPY));
    copy.exec("INSERT INTO kysely_migration VALUES ('9999-from-the-future', '2030-01-01')");
    copy.close();
    const before = tablesOf(used.state);
    const { code, stderr } = await used.run(RESTORE);
    expect([code, stderr]).toEqual([2, expect.stringContaining('was written by a newer version of pacekeeper')]);
    expect(tablesOf(used.state)).toEqual(before);
  });

  it.each<[string, (used: UsedFolder) => void, string]>([
    ['does not exist', (used) => rmSync(used.at(COPY)), 'File not found: '],
    [
      'is not a database',
      (used) => writeFileSync(used.at(COPY), 'nothing of ours '.repeat(99)),
      'is damaged: file is not',
    ],
    ['is empty', (used) => writeFileSync(used.at(COPY), ''), 'is not a pacekeeper state.sqlite'],
    ['is damaged', (used) => damageTable(used.at(COPY), 'budget_event'), 'is damaged: in budget_event'],
    [
      'belongs to another target',
      (used) => {
        const copy = new Database(used.at(COPY));
        copy.exec("UPDATE target SET identity = 'live (https://ads.example.com)'");
        copy.close();
      },
      'belongs to live (https://ads.example.com)',
    ],
  ])('refuses a copy that %s, and changes nothing', async (_words, spoil, sentence) => {
    const used = await withCopy();
    spoil(used);
    const before = tablesOf(used.state);
    const files = stateFiles(used);
    const { code, stdout, stderr } = await used.run(RESTORE);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(sentence)]);
    expect(tablesOf(used.state)).toEqual(before);
    expect(stateFiles(used)).toEqual(files);
  });

  it('refuses the file in use as its own copy', async () => {
    const used = await usedFolder();
    const { code, stderr } = await used.run(['restore', 'data/state.sqlite']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is the file in use')]);
  });

  it('neither waits for a run nor replaces a file that another program has open', async () => {
    const used = await withCopyAndMore();
    const before = tablesOf(used.state);
    const lock = acquireRunLock(used.at('data'), 'pacekeeper report', '2026-11-20T12:00:00Z');
    if (lock.kind === 'held') throw new Error(lock.holder);
    const busy = await used.run(RESTORE);
    lock.release();
    expect([busy.code, busy.stderr]).toEqual([1, expect.stringContaining('is in use by pacekeeper report')]);
    const reader = new Database(used.state, { readonly: true });
    onTestFinished(() => void reader.close());
    reader.prepare('SELECT 1 FROM run').all();
    const open = await used.run(RESTORE);
    expect([open.code, open.stderr]).toEqual([1, expect.stringContaining('is in use by another program')]);
    reader.close();
    expect(tablesOf(used.state)).toEqual(before);
    expect(stateFiles(used).filter((name) => /next|before/.test(name))).toEqual([]);
    expect(existsSync(used.at('data', KEPT))).toBe(false);
  });
});
