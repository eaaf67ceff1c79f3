import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { killSwitch } from '../../src/budgets/kill-switch.ts';
import { recordFreeze, recordUnfreeze } from '../../src/store/freeze-record.ts';
import { fakeClock } from '../support/fake-time.ts';
import { freshState, NOW_MS } from '../support/state.ts';
import { tempDir } from '../support/temp-dir.ts';

async function aSwitch() {
  const [state, folder, clock] = [await freshState(), tempDir(), fakeClock('2026-11-20T12:00:00Z')];
  const file = join(folder, 'FREEZE');
  const { frozen } = killSwitch({ state, clock }, folder);
  const again = () => killSwitch({ state, clock }, folder).frozen();
  const events = () => state.connection.prepare('SELECT kind, actor, detail FROM budget_event ORDER BY id').all();
  return { state, file, frozen, again, events };
}

describe('budgets', () => {
  it('are not frozen when nobody has frozen them, and nothing is written', async () => {
    const { frozen, events } = await aSwitch();
    expect([await frozen(), events()]).toEqual([undefined, []]);
  });

  it('are frozen and unfrozen by a person, at once', async () => {
    const { frozen, state } = await aSwitch();
    await recordFreeze(state.db, { by: 'anna', why: 'budget\u001b[2J review' }, NOW_MS);
    expect(await frozen()).toBe('frozen by anna since 2026-11-20T12:00:00Z: budget [2J review');
    await recordUnfreeze(state.db, { by: 'ben', why: 'done' }, NOW_MS);
    expect(await frozen()).toBeUndefined();
  });

  it('stay frozen by the file when a person unfreezes them', async () => {
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
    ['a mark of its encoding', '\uFEFFholidays', 'frozen by the file FREEZE: holidays'],
    ['what a terminal would obey', 'a\u001b[31mb\u0007c\u202ed', 'frozen by the file FREEZE: a [31mb c d'],
    ['200 characters', 'é'.repeat(200), `frozen by the file FREEZE: ${'é'.repeat(200)}`],
    ['more than 200 characters', '𝄞'.repeat(201), `frozen by the file FREEZE: ${'𝄞'.repeat(200)}…`],
    ['a megabyte without a line', 'x'.repeat(1_000_000), `frozen by the file FREEZE: ${'x'.repeat(200)}…`],
    ['what is no text', Buffer.from([0xff, 0x00, 0xfe]), 'frozen by the file FREEZE: \uFFFD \uFFFD'],
  ])('are frozen while the file is there, with its first line as the reason: %s', async (_, text, expected) => {
    const { frozen, file } = await aSwitch();
    writeFileSync(file, text);
    expect(await frozen()).toBe(expected);
  });

  it.each<[string, (file: string) => void]>([
    ['a folder', (file) => mkdirSync(file)],
    ['a link to nothing', (file) => symlinkSync('nowhere', file)],
    ['a pipe that nobody writes to', (file) => void execFileSync('mkfifo', [file])],
    [
      'a file that may not be read',
      (file) => {
        writeFileSync(file, '');
        chmodSync(file, 0);
      },
    ],
  ])('are frozen whatever stands there: %s', async (_, make) => {
    const { frozen, file } = await aSwitch();
    make(file);
    expect(await frozen()).toBe('frozen by the file FREEZE');
  });
});

describe('that the file came or went', () => {
  it('is written down once each, also by the next process', async () => {
    const { frozen, again, file, events } = await aSwitch();
    const found = { kind: 'freeze_file_found', actor: 'the file FREEZE', detail: '{"first_line":"holidays"}' };
    const gone = { kind: 'freeze_file_gone', actor: 'the file FREEZE', detail: '{}' };
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
});
