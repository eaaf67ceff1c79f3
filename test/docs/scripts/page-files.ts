import { readFileSync } from 'node:fs';

export const PAGE = readFileSync('docs/from-scripts.md', 'utf8');

/** The files that the page shows. */
export const FILES = [...PAGE.matchAll(/^```(?:yaml|sql)\n(?:#|--) ([\w./-]+).*\n([\s\S]*?)^```$/gm)].map(
  ([, path = '', text = '']) => ({ path, text }),
);

export const RULES = FILES.flatMap(({ path, text }) => {
  const [, name] = /^rules\/(.+)$/.exec(path) ?? [];
  return name === undefined ? [] : [[name, text] as const];
});
