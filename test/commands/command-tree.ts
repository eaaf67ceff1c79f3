import type { Command } from 'commander';
import stringWidth from 'string-width';
import { buildProgram } from '../../src/program.ts';

/** A command by the words that call it, and what --help prints of it at so many columns. */
export interface CommandOfTree {
  readonly name: string;
  readonly command: Command;
  help(columns: number): string;
}

/** The program and all its commands, with those that only lead to others. */
export function commandTree(): CommandOfTree[] {
  let text = '';
  let width = 100;
  const stdout = {
    write: (written: string) => {
      text += written;
    },
    isTTY: true,
    get columns() {
      return width;
    },
  };
  const program = buildProgram('0.0.0', {
    folder: '/',
    env: {},
    output: { stdout, stderr: stdout, noColor: true },
    userName: undefined,
    exit: () => undefined,
    runBeside: () => ({ ended: Promise.resolve(null), stop: () => undefined }),
    readBeside: async () => ({ exitCode: null, text: '' }),
    onStop: () => undefined,
  });
  const below = (command: Command, words: readonly string[]): CommandOfTree[] => {
    const name = words.join(' ');
    const help = (columns: number) => {
      [text, width] = ['', columns];
      command.outputHelp();
      return text;
    };
    return [{ name, command, help }, ...command.commands.flatMap((one) => below(one, [...words, one.name()]))];
  };
  return below(program, []);
}

/** The widest line. */
export function widthOf(text: string): number {
  return Math.max(...text.split('\n').map((line) => stringWidth(line)));
}

/** What --format of the command takes; undefined where it takes none. */
export function formatsOf({ command }: CommandOfTree): readonly string[] | undefined {
  return command.options.find(({ long }) => long === '--format')?.argChoices;
}
