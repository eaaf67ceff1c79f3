import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LIVE_PATH } from '../../domain/pages.ts';
import type { Log } from '../../domain/ports.ts';
import { Refusal } from '../../services/http/received-request.ts';
import { liveNews } from '../live/live-run.ts';
import { builtScript, SCRIPT_PATHS } from '../live/page-script.ts';
import type { PageSource } from '../status/page-source.ts';
import { type LogIn, NO_TOKEN } from './log-in.ts';
import { HEADERS } from './route.ts';

const POLL_MS = 2000;
const HEARTBEAT_POLLS = 10;
/** A reader that takes nothing during this number of polls, one minute, is disconnected. */
const STALLED_POLLS_MAX = 30;
const LISTENERS_MAX = 500;
/** For one token, so that one viewer cannot take all places. */
const LISTENERS_OF_TOKEN_MAX = 50;
/** The browser connects again after this time. */
const OPENING = 'retry: 5000\n\n';
const HEARTBEAT = ':\n\n';

export interface LiveDeps {
  readonly source: Pick<PageSource, 'live'>;
  readonly logIn: LogIn;
  readonly log: Log;
  /** Resolves after the time, or when the signal is aborted. */
  pause(stop: AbortSignal, milliseconds: number): Promise<void>;
}

interface Listener {
  readonly tokenName: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  told: string | undefined;
  stalledPolls: number;
}

/** Server-sent events about the newest run, and the scripts of the pages. */
export function liveRoute(server: FastifyInstance, deps: LiveDeps): void {
  const { logIn } = deps;
  for (const path of SCRIPT_PATHS) {
    server.route({
      method: ['GET', 'HEAD'],
      url: path,
      handler: ({ headers }, reply) => {
        const { text, gzipped } = builtScript(path);
        const isGzipped = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
        return reply
          .headers({ ...HEADERS, 'cache-control': 'private, max-age=31536000, immutable', vary: 'Accept-Encoding' })
          .headers(isGzipped ? { 'content-encoding': 'gzip' } : {})
          .type('text/javascript; charset=utf-8')
          .send(isGzipped ? gzipped : text);
      },
    });
  }
  const listeners = createListeners(deps);
  server.addHook('preClose', async () => listeners.close());
  server.get(LIVE_PATH, async (request, reply) => {
    const visitor = await logIn.visitor(request);
    if (visitor.kind === 'nobody_can') throw new Refusal(404, NO_TOKEN);
    if (visitor.kind !== 'known') throw new Refusal(401, 'the visitor is not logged in');
    const { name } = visitor.token;
    listeners.refuseMore(name);
    reply.hijack();
    // A proxy must not hold events back.
    const ofStream = { ...HEADERS, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };
    reply.raw.writeHead(200, ofStream).write(OPENING);
    listeners.add(name, request, reply);
  });
}

/** One poll serves all listeners. Nothing is polled while nobody listens. */
function createListeners({ source, logIn, log, pause }: LiveDeps) {
  const listeners = new Set<Listener>();
  const stop = new AbortController();
  let news: string | undefined;
  let isPolling = false;

  const isKnown = async ({ request }: Listener): Promise<boolean> => {
    try {
      return (await logIn.visitor(request)).kind === 'known';
    } catch {
      // The token file is unreadable.
      return false;
    }
  };
  /** Writes nothing while the reader is behind, so at most one event waits in memory. */
  const tell = (listener: Listener, isHeartbeat: boolean): void => {
    const { raw } = listener.reply;
    if (raw.writableNeedDrain) {
      listener.stalledPolls += 1;
      if (listener.stalledPolls >= STALLED_POLLS_MAX) raw.destroy();
      return;
    }
    listener.stalledPolls = 0;
    if (news !== undefined && news !== listener.told) {
      listener.told = news;
      raw.write(`data: ${news}\n\n`);
    } else if (isHeartbeat) raw.write(HEARTBEAT);
  };
  const poll = async (): Promise<void> => {
    isPolling = true;
    news = undefined;
    for (let polls = 1; listeners.size > 0; polls += 1) {
      try {
        const run = await source.live();
        news = run && liveNews(run);
      } catch (error) {
        log.warn(`Reading the progress of a run failed: ${error instanceof Error ? error.message : error}`);
      }
      for (const listener of [...listeners]) {
        if (await isKnown(listener)) tell(listener, polls % HEARTBEAT_POLLS === 0);
        // Does not wait for a slow reader.
        else listener.reply.raw.destroy();
      }
      await pause(stop.signal, POLL_MS);
    }
    isPolling = false;
  };
  return {
    refuseMore(tokenName: string): void {
      if (stop.signal.aborted) throw new Refusal(503, 'pacekeeper serve is stopping');
      if (listeners.size >= LISTENERS_MAX) throw new Refusal(503, `${LISTENERS_MAX} pages already listen`);
      const own = [...listeners].filter((listener) => listener.tokenName === tokenName);
      if (own.length >= LISTENERS_OF_TOKEN_MAX)
        throw new Refusal(503, `${LISTENERS_OF_TOKEN_MAX} pages of this token already listen`);
    },
    add(tokenName: string, request: FastifyRequest, reply: FastifyReply): void {
      const listener: Listener = { tokenName, request, reply, told: undefined, stalledPolls: 0 };
      listeners.add(listener);
      reply.raw.once('close', () => listeners.delete(listener));
      if (!isPolling) void poll();
    },
    close(): void {
      stop.abort();
      for (const { reply } of listeners) reply.raw.destroy();
      listeners.clear();
    },
  };
}
