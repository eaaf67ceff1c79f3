import type { PublishResults } from './bench-publish.ts';
import { whole } from './markdown.ts';
import { describeRuns, type PartReport, renderPipelines } from './part-report.ts';

const BY_VACUUM_MAX = 2;

/** Target 7. */
export function reportPublish(results: PublishResults): PartReport {
  const { runs, rows, publish, published, state, byPublished, byState, publishedBytes, stateBytes } = results;
  const ours = { name: 'pacekeeper, publishing', rows, measurement: publish };
  const times = byPublished.median.toFixed(2);
  const table = renderPipelines([
    { name: 'P: `VACUUM INTO` of the published file', rows, measurement: published, ratio: '1' },
    { ...ours, ratio: `${times} × P`, rounds: byPublished },
    { name: 'S: `VACUUM INTO` of the state file', rows, measurement: state, ratio: '1' },
    { ...ours, ratio: `${byState.median.toFixed(2)} × S`, rounds: byState },
  ]);
  return {
    figures: `${table}

${describeRuns(runs)} The published file has ${megabytes(publishedBytes)} MB, the state file ${megabytes(stateBytes)} MB.`,
    targets: [{ number: 7, found: `${times} ×`, reached: byPublished.median <= BY_VACUUM_MAX }],
  };
}

function megabytes(bytes: number): string {
  return whole(bytes / 1_000_000);
}
