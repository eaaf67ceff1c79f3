import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { PHONE_CHANNELS } from '../../src/sandbox/phones.ts';
import { describeRuns, type PartReport, renderTable, whole, withSpread } from '../figures.ts';
import { interleave, median, ratioOf } from '../measurement.ts';
import { withProgram, withServer } from '../processes.ts';
import { sendWebhooks, WEBHOOK_SECRETS } from './send-webhooks.ts';

export interface ServeSizes {
  readonly runs: number;
  readonly requests: number;
  readonly connections: number;
}

/** Measures how fast webhooks are answered. `folder` is there to be written to. */
export async function benchServe(folder: string, sizes: ServeSizes): Promise<PartReport> {
  const channels: string[][] = [];
  for (const channel of PHONE_CHANNELS) {
    const measure = (side: 'ours' | 'bare') => async () => {
      const inFolder = join(folder, `webhooks-${side}`);
      mkdirSync(inFolder, { recursive: true });
      const times = await withServer('serve/webhooks', { side, folder: inFolder }, (url) =>
        sendWebhooks(url, channel, sizes),
      );
      return times.requestsPerSecond;
    };
    const rounds = await interleave(`webhooks of ${channel}`, sizes.runs + 1, measure('bare'), measure('ours'));
    const counted = rounds.slice(1);
    const ratio = ratioOf(counted, (round) => round.ours / round.baseline);
    channels.push([
      `\`/webhooks/${channel}\``,
      whole(median(counted.map((round) => round.ours))),
      whole(median(counted.map((round) => round.baseline))),
      withSpread(ratio.median.toFixed(2), ratio),
    ]);
  }
  const { graphApp, graphVerify, messages } = WEBHOOK_SECRETS;
  const secrets = { GRAPH_APP_SECRET: graphApp, GRAPH_VERIFY_TOKEN: graphVerify, MESSAGES_PASSWORD: messages };
  const alone = await withProgram(join(folder, 'alone'), secrets, (url) => sendWebhooks(url, 'messages', sizes));
  const heldIn = join(folder, 'held');
  const held = await withProgram(heldIn, secrets, async (url) => {
    const state = new Database(join(heldIn, 'data', 'state.sqlite'));
    try {
      state.exec('BEGIN IMMEDIATE; CREATE TABLE held (id INTEGER)');
      return await sendWebhooks(url, 'messages', sizes);
    } finally {
      state.exec('ROLLBACK');
      state.close();
    }
  });
  const throughput = renderTable(['POST', 'requests/s', 'bare route', 'ratio'], channels);
  const waits = renderTable(
    ['`pacekeeper serve`, ms a request', 'median', '99 of 100 take at most'],
    [
      ['alone', alone.medianMs.toFixed(1), alone.p99Ms.toFixed(1)],
      ['while another program holds `state.sqlite`', held.medianMs.toFixed(1), held.p99Ms.toFixed(1)],
    ],
  );
  const figures = `${throughput}

Each request is signed, has its own id, and is stored on disk before it is answered. The bare
route, in fastify, only reads the body. ${whole(sizes.requests)} requests over ${sizes.connections} connections. ${describeRuns(sizes.runs)}

${waits}`;
  return { figures, targets: [] };
}
