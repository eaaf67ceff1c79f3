import { join } from 'node:path';

interface Group {
  readonly text: string;
  readonly items: { readonly text: string; readonly link: string }[];
}

/** The groups of docs/README.md with their pages. A page in several groups stands in the last one. */
export function sidebarOf(index: string, titleOf: (page: string) => string): Group[] {
  const [, ...sections] = index.split(/^## /m);
  const groupOf = new Map<string, number>();
  for (const [at, section] of sections.entries())
    for (const [, path = ''] of section.matchAll(/\]\(([\w./-]+\.md)(?:#[^)]*)?\)/g)) groupOf.set(path, at);
  return sections.map((section, at) => ({
    text: section.split('\n', 1)[0] ?? '',
    items: [...groupOf]
      .filter(([, group]) => group === at)
      .map(([path]) => join('docs', path))
      .map((page) => ({ text: titleOf(page), link: `/${page.replace(/\.md$/, '')}` })),
  }));
}
