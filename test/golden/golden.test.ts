import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { UNAMBIGUOUS } from '../../src/domain/channel.ts';
import * as proposalCode from '../../src/storage/records/budgets/proposal-code.ts';
import { commandTree } from '../commands/command-tree.ts';
import { isThorough } from '../support/effort.ts';
import { helpTexts } from './help.ts';
import { replayedWeek } from './replayed-week.ts';
import { sandboxDays } from './sandbox-days.ts';
import { commandOf, keptFormats } from './world.ts';

const FILES = resolve('test/golden/files');
const RENEW = 'Where the difference is wanted: npm run golden, look at git diff, and name it in CHANGELOG.md.';
/** Some four hundred commands in one test, beside the tests of a busy machine. */
const TIMEOUT_MS = 240_000;
const SHOWN_FILES = 20;
const SHOWN_LINES = 5;
const SHOWN_COLUMNS = 160;

const WORLDS: Readonly<Record<string, () => Promise<ReadonlyMap<string, string>>>> = {
  help: helpTexts,
  sandbox: sandboxDays,
  replay: replayedWeek,
};
const isRenewed = process.env.MODE === 'golden';
/** Five hundred commands take a while: CI compares what all of them say. */
const COMPARED = isThorough || isRenewed ? Object.keys(WORLDS) : ['help'];

/** Codes one after the other instead of random ones: lists are ordered by them. */
function codesInOrder(): typeof proposalCode.randomCode {
  const given = new Map<number, number>();
  return (length = 4) => {
    const before = given.get(length) ?? 0;
    given.set(length, before + 1);
    const digits = before.toString(UNAMBIGUOUS.length).padStart(length, '0');
    return Array.from(digits, (digit) => UNAMBIGUOUS[Number.parseInt(digit, UNAMBIGUOUS.length)]).join('');
  };
}

function goldenFiles(folder: string): Map<string, string> {
  mkdirSync(folder, { recursive: true });
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return new Map(paths.map((path) => [relative(folder, path), readFileSync(path, 'utf8')]));
}

function renew(folder: string, files: ReadonlyMap<string, string>): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** The first lines that differ, one sentence for a file that only one side has; undefined where both are equal. */
function difference(golden: string | undefined, now: string | undefined): string | undefined {
  if (golden === now) return undefined;
  if (golden === undefined) return '  is new: no golden file holds it';
  if (now === undefined) return '  is written by nothing any more';
  const before = golden.split('\n');
  const after = now.split('\n');
  const line = before.findIndex((text, index) => text !== after[index]);
  const from = line < 0 ? before.length : line;
  const one = before[from] ?? '';
  const other = after[from] ?? '';
  const column = [...one].findIndex((_, index) => one[index] !== other[index]);
  // Lines of JSON may be very long.
  const start = Math.max(0, column - SHOWN_COLUMNS / 2);
  const lines = (mark: string, all: readonly string[]) =>
    all.slice(from, from + SHOWN_LINES).map((text) => `  ${mark} ${text.slice(start, start + SHOWN_COLUMNS)}`);
  return [`  from line ${from + 1}, column ${start + 1}`, ...lines('-', before), ...lines('+', after)].join('\n');
}

describe('the program output matches the golden files', () => {
  it.each(COMPARED)('in %s', { timeout: TIMEOUT_MS }, async (world) => {
    // Each command begins at its instant and takes no time.
    vi.spyOn(performance, 'now').mockReturnValue(0);
    vi.spyOn(proposalCode, 'randomCode').mockImplementation(codesInOrder());
    onTestFinished(() => void vi.restoreAllMocks());
    const now = (await WORLDS[world]?.()) ?? new Map<string, string>();
    const folder = join(FILES, world);
    if (isRenewed) renew(folder, now);
    const golden = goldenFiles(folder);
    const names = [...new Set([...golden.keys(), ...now.keys()])].sort();
    const differing = names.flatMap((name) => {
      const found = difference(golden.get(name), now.get(name));
      return found === undefined ? [] : [`${world}/${name}\n${found}`];
    });
    const shown = differing.slice(0, SHOWN_FILES).join('\n');
    if (differing.length > 0) throw new Error(`${differing.length} golden files differ. ${RENEW}\n${shown}`);
  });

  it('of every command, in each format but those of rows', () => {
    const files = [...goldenFiles(FILES)].filter(([name]) => !name.startsWith('help'));
    const calls = files.flatMap(([, text]) => /^\$ pacekeeper (.*)/.exec(text)?.[1] ?? []);
    const isCalled = (name: string, words: string) =>
      calls.some((call) => commandOf(call)?.name === name && call.includes(words));
    // What only leads to other commands takes no options. Scripts of completion change with each option, and their own test runs them.
    const lacking = commandTree()
      .filter(({ name }) => !name.startsWith('completion '))
      .filter(({ name, command }) => name !== '' && (command.commands.length === 0 || command.options.length > 0))
      .flatMap((one) =>
        ['', ...keptFormats(one).map((format) => `--format ${format}`)].map((words) => [one.name, words] as const),
      )
      .filter(([name, words]) => !isCalled(name, words))
      .map((words) => words.join(' '));
    expect(lacking).toEqual([]);
  });
});
