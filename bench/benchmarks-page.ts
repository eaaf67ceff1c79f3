import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { picture } from '../src/views/html/chart/picture.ts';
import { type PartReport, renderTable } from './figures.ts';

export const PAGE = 'docs/benchmarks.md';
const README = 'README.md';

/** Absolute figures mean nothing without it. */
export function machineLine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const memoryGiB = Math.round(totalmem() / 1024 ** 3);
  return `${cpus().length} × ${model}, ${memoryGiB} GiB, ${process.platform} ${process.arch}, Node ${process.version}`;
}

const TARGETS = [
  'extraction at least 1.7 × as fast as B (a simple loader)',
  "extraction at least 5 × as fast as the community client's stream",
  'peak memory at most 200 MiB with one and with five million rows, equal within 15%',
  'loading 30 days (a million rows) into a table of ten million rows takes at most 1.6 × as long as into an empty table; loading a day of 10,000 rows takes at most 0.5 s',
  'the same slice again at most 0.8 × the time of the first load',
  '1,000 small accounts at least 8 × faster than one by one; peak memory at most 200 MiB',
  'publishing ten million rows with a changed day at most 2 × the time of P (a copy of the file)',
  '200 rules at most 1.2 × the time of A (a plain SQL sum)',
];

/** The table of all targets: those found now, the others as the earlier table has them. */
function renderTargets(found: PartReport['targets'], earlier: string): string {
  const lines = earlier.split('\n').map((line) => line.split(' | ').map((cell) => cell.replace(/^\||\|$/g, '').trim()));
  return renderTable(
    ['', 'target', 'found', 'verdict'],
    TARGETS.map((target, index) => {
      const number = index + 1;
      const now = found.find((one) => one.number === number);
      if (now) return [String(number), target, now.found, now.reached ? 'reached' : 'not yet'];
      const [, , before = '', verdict = 'not measured yet'] = lines.find(([first]) => first === String(number)) ?? [];
      return [String(number), target, before, verdict];
    }),
  );
}

/** What people wrote around the figures stays; only what stands between these two comments is replaced. */
const startOf = (name: string): string => `<!-- ${name}: measured -->`;
const endOf = (name: string): string => `<!-- ${name}: end -->`;

/** Makes a page of its own a copy of the project's. Throws at once if that is impossible. */
export function preparePage(path: string): void {
  if (!existsSync(path)) copyFileSync(PAGE, path);
}

/** Puts a part's figures and the targets that it found into the page. Throws when the page has no place for them. */
export function writePart(path: string, name: string, report: PartReport, command: string): void {
  const { figures, targets, pictures = [] } = report;
  const folder = join(dirname(path), 'pictures');
  for (const { file, title, parts } of pictures) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), picture(title, parts));
  }
  const shown = pictures.map(({ file, title }) => `![${title}](pictures/${file})`).join('\n');
  const written = [`\`${command}\`. ${machineLine()}.`, figures, ...(shown === '' ? [] : [shown])].join('\n\n');
  const page = replaceBlock(readFileSync(path, 'utf8'), name, () => written, path);
  const renew = (earlier: string) => renderTargets(targets, earlier);
  writeFileSync(path, targets.length === 0 ? page : replaceBlock(page, 'targets', renew, path));
}

/** Puts the short form of a part's figures into README.md. */
export function writeBrief(name: string, brief: string): void {
  writeFileSync(
    README,
    replaceBlock(readFileSync(README, 'utf8'), name, () => brief, README),
  );
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
