import { renderTable } from './markdown.ts';

const TARGETS = [
  'extraction end to end at least 1.7 × B',
  "at least 5 × the community client's stream into better-sqlite3",
  'peak memory at most 200 MiB, whole process, at one and five million rows, the same within 15 %',
  "a million rows more into ten million at most 1.6 × the time of an empty table; a day's 10,000 new rows in at most 0.5 s",
  'reading an identical slice again at most 0.8 × the first load',
  '1,000 small accounts at 50 ms a request at least 8 × faster than one by one; peak memory at most 200 MiB',
  'publishing ten million rows, a day of which changed, at most 2 × the time of `VACUUM INTO` of the same data',
  '200 rules on 10,000 campaigns × 90 days × 20 keywords at most 1.5 × the time of the bare SQL aggregate',
] as const;

export interface FoundTarget {
  /** Its place in the list, from 1. */
  readonly number: number;
  readonly found: string;
  readonly reached: boolean;
}

/** The table of all targets: those found now, the others as the earlier table has them. */
export function renderTargets(found: readonly FoundTarget[], earlier: string): string {
  const lines = earlier.split('\n').map((line) => line.split(' | ').map((cell) => cell.replace(/^\||\|$/g, '').trim()));
  return renderTable(
    ['', 'target', 'found', ''],
    TARGETS.map((target, index) => {
      const number = index + 1;
      const now = found.find((one) => one.number === number);
      if (now) return [String(number), target, now.found, now.reached ? 'reached' : 'not yet'];
      const [, , before = '', verdict = 'not measured yet'] = lines.find(([first]) => first === String(number)) ?? [];
      return [String(number), target, before, verdict];
    }),
  );
}
