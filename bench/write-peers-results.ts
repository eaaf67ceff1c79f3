import type { PeersResults } from './bench-peers.ts';
import { describeRuns, type PartReport, renderPipelines } from './part-report.ts';

const TIMES_PEER_MIN = 5;

/** Target 2, by the faster of the client's two ways. */
export function reportPeers(results: PeersResults): PartReport {
  const { runs, rows, version, ours, parsed, raw, timesParsed, timesRaw } = results;
  const pacekeeper = { name: 'pacekeeper, first load', rows, measurement: ours };
  const client = `google-ads-api ${version}`;
  const table = renderPipelines([
    { name: `C: ${client}, its stream → better-sqlite3`, rows, measurement: parsed, ratio: '1' },
    { ...pacekeeper, ratio: `${timesParsed.median.toFixed(2)} × C`, rounds: timesParsed },
    { name: `R: the same with \`disable_parsing: true\``, rows, measurement: raw, ratio: '1' },
    { ...pacekeeper, ratio: `${timesRaw.median.toFixed(2)} × R`, rounds: timesRaw },
  ]);
  const times = Math.min(timesParsed.median, timesRaw.median);
  return {
    figures: `${table}\n\n${describeRuns(runs)}`,
    targets: [{ number: 2, found: `${times.toFixed(2)} ×`, reached: times >= TIMES_PEER_MIN }],
  };
}
