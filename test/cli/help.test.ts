import { describe, expect, it } from 'vitest';
import { commandTree, widthOf } from '../commands/command-tree.ts';

const TREE = commandTree();

describe('the help of every command', () => {
  it('has at least two examples of that command or a subcommand', () => {
    const lacking = TREE.flatMap(({ name, help }) => {
      const start = `$ pacekeeper${name === '' ? '' : ` ${name}`}`;
      const examples = help(80)
        .split('\n')
        .map((line) => line.trim().replace(/^\$ (?:[A-Z_]+=\S+ )+/, '$ '))
        .filter((line) => line === start || line.startsWith(`${start} `));
      return examples.length >= 2 ? [] : [`${name || 'pacekeeper'}: ${examples.length}`];
    });
    expect(lacking).toEqual([]);
  });

  it('has lines of at most 80 columns, except examples to copy', () => {
    const wide = TREE.flatMap(({ name, help }) => {
      const prose = help(80)
        .split('\n')
        .filter((line) => !line.trim().startsWith('$ '))
        .join('\n');
      return widthOf(prose) <= 80 ? [] : [`${name || 'pacekeeper'}: ${widthOf(prose)}`];
    });
    expect(wide).toEqual([]);
  });

  it('has a description that ends with a full stop', () => {
    for (const { name, command } of TREE)
      expect([name, command.description()]).toEqual([name, expect.stringMatching(/\.$/)]);
  });

  it('has examples of at most 100 columns', () => {
    const wide = TREE.filter(({ help }) => widthOf(help(80)) > 100).map(({ name }) => name);
    expect(wide).toEqual([]);
  });
});
