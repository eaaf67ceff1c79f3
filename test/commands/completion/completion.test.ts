import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/temp-dir.ts';
import { commandTree } from '../command-tree.ts';
import { runInProcess } from '../run-in-process.ts';

const TREE = commandTree();

/** The script in a folder of its own, with a folder "queries" and a file "settings.yaml". */
async function scriptFor(shell: string) {
  const { code, stdout } = await runInProcess(['completion', shell]);
  expect(code).toBe(0);
  const folder = tempDir();
  mkdirSync(join(folder, 'queries'));
  writeFileSync(join(folder, 'settings.yaml'), '');
  const script = join(folder, 'script');
  writeFileSync(script, stdout);
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: folder, encoding: 'utf8' });
  return { script, run };
}

const isThere = (program: string) => existsSync(`/usr/bin/${program}`);

describe('completion bash', () => {
  /** One line of answers for each line of words; the last word is the one that is completed. */
  async function answers(lines: readonly (readonly string[])[]): Promise<string[][]> {
    const { script, run } = await scriptFor('bash');
    const asked = lines.map((words) => {
      const list = words.map((word) => `'${word}'`).join(' ');
      return `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _pacekeeper; printf '%s\\n' "\${COMPREPLY[*]}"`;
    });
    const text = run('bash', '-euc', `source ${script}; complete -p pacekeeper; ${asked.join('; ')}`);
    const [registered, ...found] = text.split('\n');
    expect(registered).toBe('complete -o default -F _pacekeeper pacekeeper');
    return found.slice(0, -1).map((line) => line.split(' ').filter((word) => word !== ''));
  }

  it('offers the commands below a command, and its options', async () => {
    const found = await answers(
      TREE.map(({ name }) => ['pacekeeper', ...name.split(' ').filter((word) => word !== ''), '']),
    );
    TREE.forEach(({ name, command }, index) => {
      const commands = command.commands.map((one) => one.name());
      const options = command.options.map(({ long }) => long);
      const own = found[index]?.filter((word) => word !== 'help');
      expect(own?.sort(), name).toEqual([...commands, ...options, '--help'].sort());
    });
    expect(found.length).toBeGreaterThan(50);
  });

  it('offers the values of an option that has a choice, also behind an equals sign', async () => {
    const [all, some, joined, begun, none] = await answers([
      ['pacekeeper', 'check', '--format', ''],
      ['pacekeeper', 'check', '--online', '--format', 'g'],
      ['pacekeeper', 'check', '--format', '='],
      ['pacekeeper', 'check', '--format', '=', 'sa'],
      ['pacekeeper', 'check', '--format', 'xml'],
    ]);
    expect(all).toEqual(['text', 'json', 'github', 'sarif']);
    expect(joined).toEqual(all);
    expect([some, begun, none]).toEqual([['github'], ['sarif'], []]);
  });

  it('leaves other values and unknown words to file names, and does not run what was typed', async () => {
    const found = await answers([
      ['pacekeeper', 'report', '--config', ''],
      ['pacekeeper', 'check', 'quer'],
      ['pacekeeper', '$(touch evil)', '`touch evil`', 're'],
    ]);
    expect(found).toEqual([[], [], ['report', 'restore']]);
  });

  it('completes at a cursor in the middle of the line', async () => {
    const { script, run } = await scriptFor('bash');
    const line = 'COMP_WORDS=(pacekeeper ru backtest); COMP_CWORD=1; _pacekeeper; echo "$COMPREPLY"';
    expect(run('bash', '-euc', `source ${script}; ${line}`)).toBe('rules\n');
  });
});

describe.skipIf(!isThere('fish'))('completion fish', () => {
  it('offers commands with their summaries, options, values and files', async () => {
    const { script, run } = await scriptFor('fish');
    const complete = (line: string) =>
      run('fish', '--no-config', '-c', `source ${script}; complete -C '${line}'`)
        .split('\n')
        .filter((word) => word !== '');
    expect(complete('pacekeeper chec')).toEqual([
      'check\tCheck query and rule files offline. Without FILES: all files in the folders queries and rules.',
    ]);
    expect(complete('pacekeeper check --format ').map((line) => line.split('\t')[0])).toEqual([
      'github',
      'json',
      'sarif',
      'text',
    ]);
    expect(complete('pacekeeper rules backtest --al')).toEqual(['--all\talso show refused changes']);
    expect(complete('pacekeeper check quer')).toEqual(['queries/']);
    expect(complete('pacekeeper report --config sett')).toEqual(['settings.yaml']);
    expect(complete('pacekeeper alerts sett')).toEqual([]);
  });
});

describe.skipIf(!isThere('zsh'))('completion zsh', () => {
  /** The script with stand-ins for the functions of zsh that show what they are given. */
  const STAND_INS = `compdef() { print "compdef $*" }
    compadd() { print -l "$@" }
    _files() { print files }
    _describe() { print -l -- "$\{(@P)\${@[-1]}}" }`;

  it('offers commands with their summaries, options, values and files', async () => {
    const { script, run } = await scriptFor('zsh');
    const complete = (...words: string[]) => {
      const line = `words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}; _pacekeeper`;
      const [registered, ...found] = run('zsh', '-fc', `${STAND_INS}; source ${script}; ${line}`).split('\n');
      expect(registered).toBe('compdef _pacekeeper pacekeeper');
      return found.slice(0, -1);
    };
    expect(complete('pacekeeper', 'config', '')).toEqual([
      'show:Show every setting that is not at its default, and where it comes from. Secrets are hidden.',
      'schema:Print the JSON Schema that editors need to complete and check pacekeeper.yaml.',
      'help:display help for command',
    ]);
    expect(complete('pacekeeper', 'rules', 'backtest', '--')).toContain('--all:also show refused changes');
    expect(complete('pacekeeper', 'check', '--format', '')).toEqual(['text', 'json', 'github', 'sarif']);
    expect(complete('pacekeeper', 'report', '--config', '')).toEqual(['files']);
    expect(complete('pacekeeper', 'check', '')).toEqual(['files']);
  });
});

describe('pacekeeper completion', () => {
  it('refuses an unknown shell', async () => {
    const { code, stdout, stderr } = await runInProcess(['completion', 'tcsh']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain("unknown command 'tcsh'");
  });
});
