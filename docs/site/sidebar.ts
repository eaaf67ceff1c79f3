import { join } from 'node:path';

interface Group {
  readonly text: string;
  readonly items: { readonly text: string; readonly link: string }[];
}

/** The group of docs/README.md that has no heading of its own. */
const FIRST_GROUP = 'Use it';

/**
 * The groups of docs/README.md with the pages that they link to. A page that several groups name stands in the last one: the first
 * goes by tasks, and names again what the others have.
 */
export function sidebarOf(index: string, titleOf: (page: string) => string): Group[] {
  const sections = index.split(/^## /m);
  const groupOf = new Map<string, number>();
  for (const [at, section] of sections.entries())
    for (const [, path = ''] of section.matchAll(/\]\(([\w./-]+\.md)(?:#[^)]*)?\)/g)) groupOf.set(path, at);
  return sections.map((section, at) => ({
    text: at === 0 ? FIRST_GROUP : (section.split('\n', 1)[0] ?? ''),
    items: [...groupOf]
      .filter(([, group]) => group === at)
      .map(([path]) => join('docs', path))
      .map((page) => ({ text: titleOf(page), link: `/${page.replace(/\.md$/, '')}` })),
  }));
}
