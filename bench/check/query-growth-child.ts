import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { checkQueryFile } from '../../src/gaql/query-file.ts';
import { parseQuery } from '../../src/gaql/syntax/parse-query.ts';
import { median, readJob } from '../measurement.ts';
import { TODAY } from '../query.ts';
import type { QueryGrowth } from './check.ts';
import { campaignIds } from './query-folder.ts';

/**
 * `query-growth-child.js ROUNDS`: times the parser and the whole check with queries of growing size, all in this process,
 * and prints {@link QueryGrowth}s. A small query is read as often as it takes to have read as much as the largest.
 */
const rounds = readJob<number>();
const catalogue = loadCatalogue('v25');

const WORKS: Readonly<Record<QueryGrowth['work'], (text: string) => { readonly diagnostics: readonly unknown[] }>> = {
  parse: parseQuery,
  check: (text) => checkQueryFile('grown', text, { catalogue, today: TODAY }),
};
const LISTS = new Map([2_500, 5_000, 10_000, 20_000].map((values) => [values, listQuery(values)]));
const TEXTS = new Map([250, 500, 1_000].map((kilobytes) => [kilobytes, longQuery(kilobytes * 1_000)]));

const growths = (['parse', 'check'] as const).flatMap((work) => [
  measureGrowth(work, 'value', LISTS),
  measureGrowth(work, 'KB', TEXTS),
]);
process.stdout.write(JSON.stringify(growths));

function measureGrowth(
  work: QueryGrowth['work'],
  unit: QueryGrowth['unit'],
  queries: ReadonlyMap<number, string>,
): QueryGrowth {
  const bySize = [...queries].sort(([one], [other]) => one - other);
  const smallest = bySize[0]?.[0] ?? 0;
  const largest = bySize.at(-1)?.[0] ?? 0;
  const timings = new Map<number, number[]>(bySize.map(([size]) => [size, []]));
  // The first round is for the compiler and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [size, text] of round % 2 === 0 ? bySize : bySize.toReversed()) {
      const microseconds = timeOf(work, text, largest / size) / largest;
      if (round > 0) timings.get(size)?.push(microseconds);
    }
  }
  const slowest = timings.get(largest) ?? [];
  return {
    work,
    unit,
    sizes: [...timings].map(([size, values]) => ({ size, microsecondsPerUnit: median(values) })),
    largestBySmallest: median(slowest.map((value, round) => value / (timings.get(smallest)?.[round] ?? Number.NaN))),
  };
}

/** Microseconds for so many readings of the text. */
function timeOf(work: QueryGrowth['work'], text: string, times: number): number {
  const run = WORKS[work];
  const startedMs = performance.now();
  for (let time = 0; time < times; time += 1) {
    const { diagnostics } = run(text);
    if (diagnostics.length > 0) throw new Error(`Reading a grown query: found ${JSON.stringify(diagnostics[0])}`);
  }
  return (performance.now() - startedMs) * 1_000;
}

/** One list of so many values. */
function listQuery(values: number): string {
  return `SELECT campaign.id, metrics.clicks, segments.date FROM campaign
WHERE segments.date DURING LAST_30_DAYS AND campaign.id IN (${campaignIds(0, values).join(', ')})\n`;
}

/** Conditions with comments, a line each, until the text has so many characters. */
function longQuery(length: number): string {
  const lines = ['SELECT campaign.id, campaign.name, metrics.clicks, segments.date', 'FROM campaign'];
  lines.push('WHERE segments.date DURING LAST_30_DAYS');
  let written = lines.join('\n').length;
  for (let number = 0; written < length; number += 1) {
    const line = `  AND campaign.name != 'Wanderschuhe ${number}' -- left out on request`;
    lines.push(line);
    written += line.length + 1;
  }
  return lines.join('\n');
}
