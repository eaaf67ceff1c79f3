import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freeze, unfreeze } from '../../src/commands/freeze/run-freeze.ts';
import { killSwitch, watchFreezeFile } from '../../src/engine/budgets/kill-switch.ts';
import { recordFreeze, recordUnfreeze } from '../../src/storage/records/budgets/freeze-record.ts';
import { fakeClock, fakePauses } from '../support/fake-time.ts';
import { byEngine, freshStore, NOW_MS, storeAt } from '../support/state.ts';
import { tempDir } from '../support/temp-dir.ts';
import { toldLog } from '../support/told-log.ts';

async function aSwitch() {
  const state = await freshStore();
  const folder = tempDir();
  const clock = fakeClock('2026-11-20T12:00:00Z');
  const file = join(folder, 'FREEZE');
  const { frozen } = killSwitch({ state, clock }, folder);
  const again = () => killSwitch({ state, clock }, folder).frozen();
  const events = () => state.connection.prepare('SELECT kind, actor, detail FROM budget_event ORDER BY id').all();
  return { state, folder, clock, file, frozen, again, events };
}

/** Only a database is shared by several data folders. */
const onFiles = byEngine({ sqlite: true, postgres: false });

describe('budgets', () => {
  it('are not frozen by default, and nothing is written', async () => {
    const { frozen, events } = await aSwitch();
    expect([await frozen(), events()]).toEqual([undefined, []]);
  });

  it('are frozen and unfrozen by a person at once', async () => {
    const { frozen, state } = await aSwitch();
    await recordFreeze(state.db, { by: 'anna', why: 'budget\u001b[2J review' }, NOW_MS);
    expect(await frozen()).toBe('frozen by anna since 2026-11-20 12:00 UTC: budget [2J review');
    await recordUnfreeze(state.db, { by: 'ben', why: 'done' }, NOW_MS);
    expect(await frozen()).toBeUndefined();
  });

  it('stay frozen by the file after a person unfreezes them', async () => {
    const { frozen, state, file } = await aSwitch();
    await recordFreeze(state.db, { by: 'anna', why: 'review' }, NOW_MS);
    writeFileSync(file, 'holidays');
    await recordUnfreeze(state.db, { by: 'ben', why: 'done' }, NOW_MS);
    expect(await frozen()).toBe('frozen by the file FREEZE: holidays');
  });

  it.each<[string, string | Buffer, string]>([
    ['nothing', '', 'frozen by the file FREEZE'],
    ['one line', 'holidays', 'frozen by the file FREEZE: holidays'],
    ['several lines', '  holidays \r\nuntil Monday\n', 'frozen by the file FREEZE: holidays'],
    ['a byte order mark', '\uFEFFholidays', 'frozen by the file FREEZE: holidays'],
    ['terminal control characters', 'a\u001b[31mb\u0007c\u202ed', 'frozen by the file FREEZE: a [31mb c d'],
    ['a byte order mark in the middle', 'a\uFEFFb', 'frozen by the file FREEZE: a b'],
    ['many spaces', 'a    b', 'frozen by the file FREEZE: a b'],
    ['200 characters', 'é'.repeat(200), `frozen by the file FREEZE: ${'é'.repeat(200)}`],
    ['more than 200 characters', '𝄞'.repeat(201), `frozen by the file FREEZE: ${'𝄞'.repeat(200)}…`],
    ['a megabyte without a line', 'x'.repeat(1_000_000), `frozen by the file FREEZE: ${'x'.repeat(200)}…`],
    ['binary data', Buffer.from([0xff, 0x00, 0xfe]), 'frozen by the file FREEZE: \uFFFD \uFFFD'],
  ])('are frozen while the file exists, with its first line as the reason: %s', async (_, text, expected) => {
    const { frozen, file } = await aSwitch();
    writeFileSync(file, text);
    expect(await frozen()).toBe(expected);
  });

  it.each<[string, (file: string) => void]>([
    ['a folder', (file) => mkdirSync(file)],
    ['a link to nothing', (file) => symlinkSync('nowhere', file)],
    ['a pipe without a writer', (file) => void execFileSync('mkfifo', [file])],
    [
      'an unreadable file',
      (file) => {
        writeFileSync(file, '');
        chmodSync(file, 0);
      },
    ],
  ])('are frozen by anything of that name: %s', async (_, make) => {
    const { frozen, file } = await aSwitch();
    make(file);
    expect(await frozen()).toBe('frozen by the file FREEZE');
  });
});

describe('budgets are frozen', () => {
  it('if the file cannot be checked', async () => {
    const { state, clock, file } = await aSwitch();
    writeFileSync(file, '');
    // Nothing can stand in a folder that is a file, but that is another error than that nothing stands there.
    expect(await killSwitch({ state, clock }, file).frozen()).toBe('frozen by the file FREEZE');
  });

  it('by a pipe, whatever its data', async () => {
    const { frozen, file } = await aSwitch();
    execFileSync('mkfifo', [file]);
    const end = openSync(file, 'r+');
    onTestFinished(() => closeSync(end));
    writeSync(end, 'holidays');
    expect(await frozen()).toBe('frozen by the file FREEZE');
  });

  it('for read-only users, and nothing is written', async () => {
    const { state, clock, folder, file, events } = await aSwitch();
    writeFileSync(file, 'holidays');
    expect(await killSwitch({ state: { ...state, isReadOnly: true }, clock }, folder).frozen()).toMatch('holidays');
    expect(events()).toEqual([]);
  });

  it.each([
    ['SQLITE_BUSY', true],
    ['SQLITE_FULL', false],
  ])('also if that cannot be recorded now (%s): %s', async (code, goesOn) => {
    const { state, clock, folder, file } = await aSwitch();
    writeFileSync(file, 'holidays');
    const { db } = state;
    const execute = () => Promise.reject(Object.assign(new Error(code), { code }));
    const full = { selectFrom: db.selectFrom.bind(db), transaction: () => ({ execute }) } as unknown as typeof db;
    const asked = killSwitch({ state: { ...state, db: full }, clock }, folder).frozen();
    await (goesOn ? expect(asked).resolves.toMatch('holidays') : expect(asked).rejects.toThrow(code));
  });
});

describe('the appearance or removal of the file', () => {
  it.runIf(onFiles)('is recorded once each, also by the next process', async () => {
    const { frozen, again, file, events } = await aSwitch();
    const found = {
      kind: 'freeze_file_found',
      actor: 'the file FREEZE',
      detail: '{"first_line":"holidays","version":2}',
    };
    const gone = { kind: 'freeze_file_gone', actor: 'the file FREEZE', detail: '{"version":2}' };
    writeFileSync(file, 'holidays');
    expect([await frozen(), await frozen(), await again()]).toEqual(
      Array(3).fill('frozen by the file FREEZE: holidays'),
    );
    expect(events()).toEqual([found]);
    rmSync(file);
    expect([await again(), await frozen(), await again()]).toEqual([undefined, undefined, undefined]);
    expect(events()).toEqual([found, gone]);
    writeFileSync(file, 'holidays');
    await again();
    expect(events()).toEqual([found, gone, found]);
  });

  it('is recorded once by two processes that notice it together', async () => {
    const { state, again, file, events, clock, folder } = await aSwitch();
    writeFileSync(file, 'holidays');
    const { db } = state;
    const execute = async (work: Parameters<ReturnType<typeof db.transaction>['execute']>[0]) => {
      // Another process is quicker.
      await again();
      return db.transaction().execute(work);
    };
    const beside = { selectFrom: db.selectFrom.bind(db), transaction: () => ({ execute }) } as unknown as typeof db;
    await killSwitch({ state: { ...state, db: beside }, clock }, folder).frozen();
    expect(events()).toHaveLength(1);
  });
});

describe.runIf(!onFiles)('in a database, the file of one data folder', () => {
  const elsewhere = async ({ state, clock }: Pick<Awaited<ReturnType<typeof aSwitch>>, 'state' | 'clock'>) =>
    killSwitch({ state, clock }, tempDir()).frozen();

  it('freezes all folders once, and also after it is gone, until a person lifts that', async () => {
    const one = await aSwitch();
    expect(await elsewhere(one)).toBeUndefined();
    writeFileSync(one.file, 'holidays');
    expect([await one.frozen(), await one.again()]).toEqual(Array(2).fill('frozen by the file FREEZE: holidays'));
    const words = `frozen by the file FREEZE on ${hostname()} (${one.folder}) since 2026-11-20 12:00 UTC: holidays`;
    expect(await elsewhere(one)).toBe(words);
    rmSync(one.file);
    expect([await one.frozen(), await elsewhere(one)]).toEqual([words, words]);
    expect(one.events()).toHaveLength(1);
    await recordUnfreeze(one.state.db, { by: 'ben', why: 'done' }, NOW_MS);
    expect([await one.frozen(), await elsewhere(one)]).toEqual([undefined, undefined]);
  });

  it('freezes again if it stands after a person of another folder has lifted the freeze', async () => {
    const one = await aSwitch();
    writeFileSync(one.file, '');
    await one.frozen();
    await recordUnfreeze(one.state.db, { by: 'ben', why: 'done' }, NOW_MS);
    await one.frozen();
    expect(await elsewhere(one)).toMatch(/^frozen by the file FREEZE on .*: no reason given$/);
  });

  it('is lifted by unfreeze in that folder: the file is removed before that is recorded', async () => {
    const { state, clock, file, folder, events } = await aSwitch();
    writeFileSync(file, 'holidays');
    const { db } = state;
    const order: unknown[] = [];
    const transaction = () => ({
      execute: (work: Parameters<ReturnType<typeof db.transaction>['execute']>[0]) => {
        order.push(existsSync(file));
        return db.transaction().execute(work);
      },
    });
    const beside = { ...state, db: { selectFrom: db.selectFrom.bind(db), transaction } as unknown as typeof db };
    await unfreeze(beside, folder, { by: 'ben', why: 'done' }, clock.now());
    expect(order).toEqual([true, false]);
    expect(events()).toMatchObject([{ kind: 'frozen' }, { kind: 'unfrozen', actor: 'ben' }]);
    expect(await killSwitch({ state, clock }, folder).frozen()).toBeUndefined();
  });

  it('is found later if the database cannot be reached now', async () => {
    const one = await aSwitch();
    expect(await freeze(undefined, one.folder, { by: 'anna', why: 'a sale' }, NOW_MS)).toMatchObject({ file: true });
    const over = new AbortController();
    let tries = 0;
    const open = async () => {
      tries += 1;
      if (tries < 3) throw Object.assign(new Error('The database cannot be reached.'), { code: 'STORE_LOST' });
      over.abort();
      return storeAt(one.state.place);
    };
    const lines: string[] = [];
    const log = toldLog({ warn: (line) => void lines.push(line) });
    await watchFreezeFile({ open, clock: one.clock, log, pauses: fakePauses() }, one.folder, over.signal);
    expect(lines).toEqual(['The file FREEZE stops only this data folder now: The database cannot be reached.']);
    expect(await elsewhere(one)).toMatch(/: a sale \(anna\)$/);
  });
});
