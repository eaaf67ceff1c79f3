import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { CHANNELS, type Channel } from '../src/domain/channel.ts';
import { interleave, type Ratio, ratioOf } from './interleave.ts';
import { median } from './median.ts';
import { withServer } from './run-child.ts';
import { PROGRAM } from './run-program.ts';
import { sendWebhooks, WEBHOOK_SECRETS, type WebhookTimes } from './send-webhooks.ts';

export interface ServeSizes {
  readonly runs: number;
  readonly requests: number;
  readonly connections: number;
}

export interface ServeResults {
  readonly sizes: ServeSizes;
  readonly channels: readonly {
    readonly channel: Channel;
    readonly baseline: number;
    readonly ours: number;
    /** Requests a second of ours by those of the bare route. */
    readonly ratio: Ratio;
  }[];
  /** Of the whole program, while nobody and while somebody else writes to `state.sqlite` all the time. */
  readonly alone: WebhookTimes;
  readonly held: WebhookTimes;
}

/** Measures how fast webhooks are answered. `folder` is there to be written to. */
export async function benchServe(folder: string, sizes: ServeSizes): Promise<ServeResults> {
  const channels = [];
  for (const channel of CHANNELS) {
    const measure = (side: 'ours' | 'bare') => async () => {
      const inFolder = join(folder, `webhooks-${side}`);
      mkdirSync(inFolder, { recursive: true });
      const times = await withServer('webhooks', { side, folder: inFolder }, (url) =>
        sendWebhooks(url, channel, sizes),
      );
      return times.requestsPerSecond;
    };
    const rounds = await interleave(`webhooks of ${channel}`, sizes.runs + 1, measure('bare'), measure('ours'));
    const counted = rounds.slice(1);
    channels.push({
      channel,
      baseline: median(counted.map((round) => round.baseline)),
      ours: median(counted.map((round) => round.ours)),
      ratio: ratioOf(counted, (round) => round.ours / round.baseline),
    });
  }
  const alone = await withProgram(join(folder, 'alone'), (url) => sendWebhooks(url, 'messages', sizes));
  const heldIn = join(folder, 'held');
  const held = await withProgram(heldIn, async (url) => {
    const state = new Database(join(heldIn, 'data', 'state.sqlite'));
    try {
      state.exec('BEGIN IMMEDIATE; CREATE TABLE held (id INTEGER)');
      return await sendWebhooks(url, 'messages', sizes);
    } finally {
      state.exec('ROLLBACK');
      state.close();
    }
  });
  return { sizes, channels, alone, held };
}

/** Runs `pacekeeper serve` in a folder of its own while `work` does. */
async function withProgram<Result>(folder: string, work: (url: string) => Promise<Result>): Promise<Result> {
  mkdirSync(folder, { recursive: true });
  const { graphApp, graphVerify, messages } = WEBHOOK_SECRETS;
  const secrets = { GRAPH_APP_SECRET: graphApp, GRAPH_VERIFY_TOKEN: graphVerify, MESSAGES_PASSWORD: messages };
  const program = spawn(process.execPath, [PROGRAM, 'serve'], {
    cwd: folder,
    env: { PATH: process.env.PATH, SERVE_PORT: '0', ...secrets },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(program, 'close');
  try {
    const [line] = await Promise.race([once(program.stdout.setEncoding('utf8'), 'data'), ended]);
    if (typeof line !== 'string') throw new Error('serve ended before it printed its address.');
    return await work((JSON.parse(line) as { readonly address: string }).address);
  } finally {
    program.kill('SIGINT');
    await ended;
  }
}
