import { commandTree } from '../commands/command-tree.ts';

/** What --help prints of each command. */
export async function helpTexts(): Promise<ReadonlyMap<string, string>> {
  const texts = commandTree().map(({ name, help }) => `$ pacekeeper ${name}${name && ' '}--help\n${help(80)}`);
  return new Map([['help.txt', texts.join('\n')]]);
}
