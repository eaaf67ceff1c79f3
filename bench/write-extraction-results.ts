import { machineLine } from './machine-line.ts';
import { renderTable, whole } from './markdown.ts';
import type { Measurement } from './measurement.ts';
import type { Summary } from './sum-up-rounds.ts';

/** The measured pipelines as a Markdown table, for the terminal and the page alike. */
export function renderPipelines(summary: Summary): string {
  const { rows, baseline, ours, again, memoryRows, memory, timesBaseline, againByFirst } = summary;
  const line = (name: string, count: number, { seconds, peakMiB }: Measurement, ratio: string) => [
    name,
    whole(count),
    whole(count / seconds),
    seconds.toFixed(2),
    whole(peakMiB),
    ratio,
  ];
  return renderTable(
    ['pipeline', 'rows', 'rows/s', 'seconds', 'peak MiB', 'ratio'],
    [
      line('B: split, JSON.parse, one prepared insert per row', rows, baseline, '1'),
      line('pacekeeper, first load', rows, ours, `${timesBaseline.toFixed(2)} × B`),
      line('pacekeeper, the same slice again', rows, again, `${againByFirst.toFixed(2)} × the first load's time`),
      line('pacekeeper, first load', memoryRows, memory, `${memoryRatio(summary).toFixed(2)} × the memory`),
    ],
  );
}

/** The targets with what was found; those that nothing measures yet say so. */
export function renderTargets(summary: Summary): string {
  const { timesBaseline, ours, memory, againByFirst } = summary;
  const peakMiB = Math.max(ours.peakMiB, memory.peakMiB);
  const steady = Math.abs(memoryRatio(summary) - 1) <= 0.15;
  const verdict = (reached: boolean) => (reached ? 'reached' : 'not yet');
  const unmeasured = (number: string, target: string) => [number, target, '', 'not measured yet'];
  return renderTable(
    ['', 'target', 'found', ''],
    [
      ['1', 'extraction end to end at least 1.7 × B', `${timesBaseline.toFixed(2)} × B`, verdict(timesBaseline >= 1.7)],
      unmeasured('2', "at least 5 × the community client's stream into better-sqlite3"),
      [
        '3',
        'peak memory at most 200 MiB, whole process, at both sizes, the same within 15 %',
        `${whole(ours.peakMiB)} and ${whole(memory.peakMiB)} MiB`,
        verdict(peakMiB <= 200 && steady),
      ],
      unmeasured('4', 'a million rows more into ten million at most 1.6 × the time of an empty table'),
      [
        '5',
        'reading an identical slice again at most 0.8 × the first load',
        `${againByFirst.toFixed(2)} ×`,
        verdict(againByFirst <= 0.8),
      ],
      unmeasured('6', '1,000 small accounts at 50 ms a request at least 8 × faster than one by one'),
      unmeasured('7', 'publishing ten million rows at most 2 × the time of `VACUUM INTO`'),
    ],
  );
}

/** The part of docs/benchmarks.md about extraction, with the page's title. */
export function renderExtractionPart(summary: Summary, command: string): string {
  const { rows, runs, bytes, memoryRows, timesBaselineRange } = summary;
  const [lowest, highest] = timesBaselineRange.map((times) => times.toFixed(2));
  return `# Benchmarks

Written by \`${command}\`; do not edit.

${renderPipelines(summary)}

Medians of ${runs} interleaved runs, every one in a process of its own; the line of ${whole(memoryRows)} rows was run once.
The ratio to B lay between ${lowest} and ${highest} in the single runs. Ratios are the result: absolute figures
belong to this machine (${machineLine()}).

## Targets

${renderTargets(summary)}

## What was measured

- The response is the sandbox's own answer to \`queries/keyword_stats.sql\` for an account so large that 30 days are
  ${whole(rows)} rows: ${(bytes / rows).toFixed(0)} bytes of JSON a row, 10,000 rows a batch, written to a file once and served
  uncompressed over loopback by another process. All names are ASCII, which is B's best case.
- *pacekeeper* is the product's \`extractSlice\` as the product wires it: HTTP client, scanner, one transaction into a new
  state database (WAL, synchronous FULL, the query's STRICT table and its index), and the record of the slice.
- *B* is the honest simple baseline: the same HTTP client and the same table in the same kind of database, its own byte scanner that
  cuts the array into batches, JSON.parse for each batch, one run of one prepared INSERT for each row with the columns written out by
  hand, one transaction.
- *The same slice again* reads the identical response into the database that the first load left, in a new process.
- Seconds run from the request to the commit. Peak memory is the largest resident set of the whole process until then.
- Every process then compares the number of rows and the sums of impressions, clicks and cost_micros in the table with what the
  generator put in; one difference fails the whole benchmark.

## Why it is built this way

The bytes of some rows go to SQLite as they came, and one \`INSERT … SELECT … FROM jsonb_each(?)\` parses, casts and stores them. No
JavaScript object or string is made for a row, and an int64 is read by SQLite's own cast: exact over the whole range. A tokenizer
in JavaScript is several times slower than B; a scanner compiled from the SELECT list gains about as much as this with far more code; a
writer of SQLite's own record format gains more, and is a file format to maintain. Simple and fast was chosen over clever
and faster.
`;
}

function memoryRatio({ ours, memory }: Summary): number {
  return memory.peakMiB / ours.peakMiB;
}
