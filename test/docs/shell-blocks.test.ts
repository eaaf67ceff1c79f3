import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { openShell, parseScript, type RunAs } from './shell.ts';

interface Block {
  readonly line: number;
  readonly script: string;
  readonly isNewTerminal: boolean;
  readonly as: RunAs;
}

/**
 * The blocks that a reader types. A comment right above one says what a test has to know:
 * `<!-- stays; tested with: sandbox --port 0 -->`, `<!-- in a new terminal; ends with 1 -->`.
 */
function shellBlocks(page: string): Block[] {
  const pattern = /(?:<!-- ([^>]*) -->\n+)?^( *)```sh\n(.*?)^\2```$/gms;
  return [...page.matchAll(pattern)].map(({ 1: how = '', 2: indent = '', 3: body = '', index }) => ({
    line: page.slice(0, index).split('\n').length,
    script: body.replace(new RegExp(`^${indent}`, 'gm'), ''),
    isNewTerminal: how.startsWith('in a new terminal'),
    as: {
      added: /tested with: (.*?)(?:;|$)/.exec(how)?.[1]?.split(' ') ?? [],
      stays: how.startsWith('stays'),
      exitCode: Number(/ends with (\d)/.exec(how)?.[1] ?? 0),
    },
  }));
}

describe('the pages that newcomers type from', () => {
  it.each(['README.md', 'docs/start.md'])('every shell block of %s runs, in order, in a fresh clone', async (path) => {
    const page = readFileSync(path, 'utf8');
    const blocks = shellBlocks(page);
    expect(blocks.length).toBeGreaterThan(3);
    const shell = await openShell(tempDir());
    onTestFinished(() => shell.close());
    for (const { line, script, isNewTerminal, as } of blocks) {
      if (isNewTerminal) shell.newTerminal();
      for (const command of parseScript(script)) {
        await shell.run(command, as).catch((cause: Error) => {
          throw new Error(`${path}:${line}: ${command.words.join(' ')}: ${cause.message}`, { cause });
        });
      }
    }
  });

  it.each(['README.md', 'docs/start.md'])('%s has every typed command in a block that runs', (path) => {
    const page = readFileSync(path, 'utf8');
    const blocks = [...page.matchAll(/^ *```(\w*)\n(.*?)^ *```$/gms)];
    const typed = blocks.filter(([, language = '', body = '']) => {
      return /^(?:bash|shell|zsh|console)$/.test(language) || /^ *(?:\$ |npx |npm |sqlite3 )/m.test(body);
    });
    const elsewhere = typed.filter(([, language]) => language !== 'sh').map(([block]) => block);
    expect(elsewhere).toEqual([]);
  });
});

describe('the way to a live service', () => {
  it('is followed with a service account against a separate sandbox, command by command', async () => {
    const page = readFileSync('docs/go-live.md', 'utf8');
    const folder = tempDir();
    const shell = await openShell(folder);
    onTestFinished(() => shell.close());
    const rehearsal = shellBlocks(page);
    expect(rehearsal.map(({ as }) => as.stays)).toEqual([true, false]);
    for (const { script, as } of rehearsal) for (const command of parseScript(script)) await shell.run(command, as);
    expect(readFileSync(join(folder, 'rehearsal', 'pacekeeper.yaml'), 'utf8')).toMatch(
      /service_account_file: .*key\.json/,
    );
    const [, steps = ''] = page.split(/^## 2\. /m);
    const typed = [...steps.matchAll(/^\$ (npx pacekeeper .*)$/gm)].map(([, command = '']) => command);
    expect(typed.length).toBeGreaterThan(5);
    // One account is as good as all of them.
    const as = { added: ['report', '--customer', '4081725530'], stays: false, exitCode: 0 };
    for (const command of typed.flatMap(parseScript)) await shell.run(command, as);
  });
});

describe('the language of the blocks', () => {
  it('has words, multi-line quotes, comments, files and their contents', () => {
    const script = `A=1 npx pacekeeper check 'a b' # why
sqlite3 x.sqlite "SELECT 1
  FROM t" && cat > queries/a.sql <<'SQL'
SELECT '#';
SQL
npx pacekeeper \\
  status > status.txt`;
    expect(parseScript(script)).toEqual([
      { words: ['A=1', 'npx', 'pacekeeper', 'check', 'a b'], into: undefined, input: undefined },
      { words: ['sqlite3', 'x.sqlite', 'SELECT 1\n  FROM t'], into: undefined, input: undefined },
      { words: ['cat'], into: 'queries/a.sql', input: "SELECT '#';\n" },
      { words: ['npx', 'pacekeeper', 'status'], into: 'status.txt', input: undefined },
    ]);
  });

  it.each(['echo $HOME', 'a | b', 'echo `date`', 'npx pacekeeper serve &', 'ls *.sql', 'echo "unclosed'])(
    'has no %s, because a page would have to explain it',
    (script) => {
      expect(() => parseScript(script)).toThrow('where a word is expected');
    },
  );
});
