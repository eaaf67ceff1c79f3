import { tmpdir } from 'node:os';
import { generateResponse, type LoadOptions, withLoad } from '../extraction/response.ts';
import { describeRuns, type PartReport, renderPipelines, renderTable, whole } from '../figures.ts';
import { withDatabase } from '../folders.ts';
import { interleave, type Measurement, medianOf, ratioOf } from '../measurement.ts';
import { runChild, withServer } from '../processes.ts';
import { WINDOW } from '../query.ts';
import { installedClient } from './peers-folder.ts';

const TIMES_PEER_MIN = 5;

export interface PeersSizes {
  readonly runs: number;
  readonly rows: number;
  /** The folder of gaarf's Node command; without it, gaarf is left out. */
  readonly gaarf: string | undefined;
}

/** Measures the community client's stream against extraction: target 2, by the faster of the client's two ways. */
export async function benchPeers(folder: string, { runs, rows, gaarf }: PeersSizes): Promise<PartReport> {
  const version = installedClient() ?? 'of an unknown version';
  const response = await generateResponse(tmpdir(), rows, WINDOW);
  const rounds = await withLoad(response, (load) => {
    const loadWith = (child: string, options: LoadOptions = {}) =>
      withDatabase(folder, (database) => load(child, database, options));
    const loadByGaarf = () =>
      withServer('peers/serve-pages', response.file, (url) =>
        withDatabase(folder, (database) =>
          runChild<Measurement>('peers/gaarf', { url, database, window: WINDOW, expected: response.totals, gaarf }),
        ),
      );
    return interleave(
      'peers',
      runs,
      async () => ({
        gaarf: gaarf === undefined ? undefined : await loadByGaarf(),
        parsed: await loadWith('peers/peer', { parsing: true }),
        raw: await loadWith('peers/peer', { parsing: false }),
      }),
      () => loadWith('extraction/extract'),
    );
  });
  const parsed = medianOf(rounds, ({ baseline }) => baseline.parsed);
  const raw = medianOf(rounds, ({ baseline }) => baseline.raw);
  const timesParsed = ratioOf(rounds, ({ baseline, ours }) => baseline.parsed.seconds / ours.seconds);
  const timesRaw = ratioOf(rounds, ({ baseline, ours }) => baseline.raw.seconds / ours.seconds);
  const pacekeeper = { name: 'pacekeeper, first load', rows, measurement: medianOf(rounds, ({ ours }) => ours) };
  const client = `google-ads-api ${version}`;
  const slowest = rounds.flatMap(({ baseline, ours }) => (baseline.gaarf ? [{ theirs: baseline.gaarf, ours }] : []));
  const timesGaarf = slowest.length > 0 && ratioOf(slowest, ({ theirs, ours }) => theirs.seconds / ours.seconds);
  const ofGaarf = timesGaarf
    ? [
        {
          name: 'G: gaarf → CSV → sqlite3',
          rows,
          measurement: medianOf(slowest, ({ theirs }) => theirs),
          ratio: '1',
        },
        { ...pacekeeper, ratio: `${timesGaarf.median.toFixed(2)} × G`, rounds: timesGaarf },
      ]
    : [];
  const table = renderPipelines([
    ...ofGaarf,
    { name: `C: ${client}, its stream → better-sqlite3`, rows, measurement: parsed, ratio: '1' },
    { ...pacekeeper, ratio: `${timesParsed.median.toFixed(2)} × C`, rounds: timesParsed },
    { name: `R: the same with \`disable_parsing: true\``, rows, measurement: raw, ratio: '1' },
    { ...pacekeeper, ratio: `${timesRaw.median.toFixed(2)} × R`, rounds: timesRaw },
  ]);
  const briefly = (name: string, { seconds, peakMiB }: Measurement) => [
    name,
    whole(Math.round(rows / seconds / 100) * 100),
    `${whole(peakMiB)} MiB`,
  ];
  // Without gaarf, README.md would lose a row.
  const brief =
    timesGaarf &&
    renderTable(
      ['', 'rows/s', 'peak memory'],
      [
        briefly(
          "gaarf's command, then `sqlite3`",
          medianOf(slowest, ({ theirs }) => theirs),
        ),
        briefly('google-ads-api, its stream', parsed),
        briefly('pacekeeper', pacekeeper.measurement),
      ],
    );
  const times = Math.min(timesParsed.median, timesRaw.median);
  return {
    figures: `${table}\n\n${describeRuns(runs)}`,
    ...(brief ? { brief: `${brief}\n\n${describeRuns(runs)}` } : {}),
    targets: [{ number: 2, found: `${times.toFixed(2)} ×`, reached: times >= TIMES_PEER_MIN }],
  };
}
