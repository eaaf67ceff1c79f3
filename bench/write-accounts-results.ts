import type { AccountsResults } from './bench-accounts.ts';
import { whole } from './markdown.ts';
import { describeRuns, type PartReport, renderPipelines } from './part-report.ts';
import { PEAK_MIB_MAX } from './write-extraction-results.ts';

const TIMES_FASTER_MIN = 8;

/** Target 6. */
export function reportAccounts(results: AccountsResults): PartReport {
  const { runs, accounts, rowsEach, latencyMs, oneByOne, together, timesFaster, requests } = results;
  const rows = accounts * rowsEach;
  const times = timesFaster.median.toFixed(1);
  const table = renderPipelines([
    { name: '`extract: { concurrency: 1 }`', rows, measurement: oneByOne, ratio: '1' },
    {
      ...{ name: 'pacekeeper as it comes', rows, measurement: together },
      ...{ ratio: `${times} × faster`, rounds: timesFaster },
    },
  ]);
  return {
    figures: `${table}

${describeRuns(runs)} ${whole(accounts)} accounts of ${whole(rowsEach)} rows, ${latencyMs} ms before every answer, at most ${whole(requests)} requests a run.`,
    targets: [
      {
        number: 6,
        found: `${times} × and ${whole(together.peakMiB)} MiB`,
        reached: timesFaster.median >= TIMES_FASTER_MIN && together.peakMiB <= PEAK_MIB_MAX,
      },
    ],
  };
}
