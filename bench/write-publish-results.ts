import type { PublishResults } from './bench-publish.ts';
import type { Ratio } from './interleave.ts';
import { whole } from './markdown.ts';
import { describeRuns, type PartReport, renderPipelines } from './part-report.ts';

const BY_VACUUM_MAX = 2;

/** Target 7. */
export function reportPublish(results: PublishResults): PartReport {
  const { runs, rows, dayRows, published, state, publishedBytes, stateBytes } = results;
  const { firstByPublished, nextByPublished, firstByState } = results;
  const first = { name: 'pacekeeper, the first publication', rows, measurement: results.first };
  const next = { name: 'pacekeeper, after a day was read again', rows, measurement: results.next };
  const times = (ratio: Ratio) => ratio.median.toFixed(2);
  const table = renderPipelines([
    { name: 'P: `VACUUM INTO` of the published file', rows, measurement: published, ratio: '1' },
    { ...next, ratio: `${times(nextByPublished)} × P`, rounds: nextByPublished },
    { ...first, ratio: `${times(firstByPublished)} × P`, rounds: firstByPublished },
    { name: 'S: `VACUUM INTO` of the state file', rows, measurement: state, ratio: '1' },
    { ...first, ratio: `${times(firstByState)} × S`, rounds: firstByState },
  ]);
  const found = `${times(nextByPublished)} ×; the first publication ${times(firstByPublished)} ×`;
  return {
    figures: `${table}

${describeRuns(runs)} The published file has ${megabytes(publishedBytes)} MB, the state file ${megabytes(stateBytes)} MB.
The target is judged by what every run but the first does: it publishes over the file of the run before. Here all ${whole(dayRows)} rows of a day
had been replaced between the two. A first publication, and one after a table was made anew, writes the whole file.`,
    targets: [{ number: 7, found, reached: nextByPublished.median <= BY_VACUUM_MAX }],
  };
}

function megabytes(bytes: number): string {
  return whole(bytes / 1_000_000);
}
