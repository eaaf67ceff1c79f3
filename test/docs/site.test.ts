import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sidebarOf } from '../../docs/site/sidebar.ts';

describe('the sidebar of the site', () => {
  it('has every page once, in the groups of docs/README.md', () => {
    const groups = sidebarOf(readFileSync('docs/README.md', 'utf8'), (page) => page);
    expect(groups.map(({ text }) => text)).toEqual(['Tutorial', 'How-to', 'Reference', 'Explanation', 'Proof']);
    const pages = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'README.md');
    const listed = groups.flatMap(({ items }) => items.map(({ text }) => text));
    expect(listed.sort()).toEqual(['SECURITY.md', ...pages.map((name) => `docs/${name}`)].sort());
  });

  it('puts a page named by two groups into the last one, and omits other files', () => {
    const index =
      '# All\n\n## Use it\n\n| try | [a](a.md), [b](b.md#x) |\n\n## Look up\n\n| [b](b.md) | [c](../C.md), `d.json`, [e](e.json) |\n';
    expect(sidebarOf(index, (page) => `title of ${page}`)).toEqual([
      { text: 'Use it', items: [{ text: 'title of docs/a.md', link: '/docs/a' }] },
      {
        text: 'Look up',
        items: [
          { text: 'title of docs/b.md', link: '/docs/b' },
          { text: 'title of C.md', link: '/C' },
        ],
      },
    ]);
  });
});
