import { commandTree } from '../commands/command-tree.ts';

/** What --help prints of each command. */
export async function helpTexts(): Promise<ReadonlyMap<string, string>> {
  return new Map(commandTree().map(({ name, help }) => [`${name.replaceAll(' ', '-') || 'pacekeeper'}.txt`, help(80)]));
}
