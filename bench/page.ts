import { readFileSync, writeFileSync } from 'node:fs';
import { machineLine } from './machine-line.ts';
import type { PartReport } from './part-report.ts';
import { renderTargets } from './targets.ts';

/** What people wrote around the figures stays; only what stands between these two comments is replaced. */
const startOf = (name: string): string => `<!-- ${name}: measured -->`;
const endOf = (name: string): string => `<!-- ${name}: end -->`;

/** Puts a part's figures and the targets that it found into the page. Throws when the page has no place for them. */
export function writePart(path: string, name: string, { figures, targets }: PartReport, command: string): void {
  const written = `Written by \`${command}\`. ${machineLine()}.\n\n${figures}`;
  const page = replaceBlock(readFileSync(path, 'utf8'), name, () => written, path);
  const renew = (earlier: string) => renderTargets(targets, earlier);
  writeFileSync(path, targets.length === 0 ? page : replaceBlock(page, 'targets', renew, path));
}

function replaceBlock(page: string, name: string, write: (earlier: string) => string, path: string): string {
  const start = page.indexOf(startOf(name));
  const end = page.indexOf(endOf(name));
  if (start === -1 || end < start) {
    throw new Error(`Writing ${path}: found no place for ${name}, expected "${startOf(name)}" and "${endOf(name)}".`);
  }
  const content = start + startOf(name).length;
  return `${page.slice(0, content)}\n\n${write(page.slice(content, end).trim())}\n\n${page.slice(end)}`;
}
