import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { type ExploreSource, TooManyQueries } from '../../dashboard/explore/explore-source.ts';
import type {
  ExploredPlace,
  ExploredRows,
  ExploreHead,
  ExploreLimits,
  ExploreOrder,
  ExploreRefusal,
} from '../../storage/warehouse/explored.ts';

interface Limits extends ExploreLimits {
  /** How long a query may run, without the time in which it waits for a slow reader. */
  readonly timeMs: number;
  readonly downloadMs: number;
}

const LIMITS: Limits = {
  rowsMax: 100_000,
  bytesMax: 64 * 1024 * 1024,
  memoryBytesMax: 768 * 1024 * 1024,
  timeMs: 10_000,
  downloadMs: 120_000,
};
const RUNNING_MAX = 2;
const WAITING_MAX = 20;

type Chunks = AsyncGenerator<Buffer, void, undefined>;

/** The process was ended before its work was done. The message is for people. */
class Ended extends Error {}

/** Each query has its own process. */
export function exploreChildSource(
  program: URL,
  place: ExploredPlace | undefined,
  given: Partial<Limits> = {},
): ExploreSource {
  if (place === undefined) return withoutRole;
  const limits = { ...LIMITS, ...given };
  const { rowsMax, bytesMax, memoryBytesMax, timeMs } = limits;
  const closing = new AbortController();
  const places = createPlaces();
  const outputOf = (sql: string, format: ExploreOrder['format'], gone: AbortSignal): Chunks => {
    const order = { place, sql, format, timeMs, limits: { rowsMax, bytesMax, memoryBytesMax } };
    return run(program, order, limits, places, AbortSignal.any([gone, closing.signal]));
  };
  return {
    async look(sql, gone) {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of outputOf(sql, 'page', gone)) chunks.push(chunk);
        return JSON.parse(Buffer.concat(chunks).toString('utf8')) as ExploredRows | ExploreRefusal;
      } catch (error) {
        return refusalOf(error);
      }
    },
    async download(sql, format, gone) {
      const chunks = outputOf(sql, format, gone);
      try {
        const { head, rest } = await firstLine(chunks);
        return head.kind === 'refused' ? head : joined(rest, chunks);
      } catch (error) {
        return refusalOf(error);
      }
    },
    close: () => closing.abort(),
  };
}

const NO_ROLE: ExploreRefusal = {
  kind: 'refused',
  problems: [
    'Explore needs a role of PostgreSQL that may only read the schema warehouse. Set store.explore_url or PACEKEEPER_STORE_EXPLORE_URL.',
  ],
};

const withoutRole: ExploreSource = {
  look: async () => NO_ROLE,
  download: async () => NO_ROLE,
  close: () => undefined,
};

function refusalOf(error: unknown): ExploreRefusal {
  if (error instanceof Ended) return { kind: 'refused', problems: [error.message] };
  throw error;
}

async function firstLine(chunks: Chunks): Promise<{ readonly head: ExploreHead; readonly rest: Buffer }> {
  let text = Buffer.alloc(0);
  for (let end = -1; end === -1; end = text.indexOf('\n')) {
    const { value, done } = await chunks.next();
    if (done) throw new Ended('The query ended without an answer.');
    text = Buffer.concat([text, value]);
  }
  const end = text.indexOf('\n');
  return { head: JSON.parse(text.toString('utf8', 0, end)) as ExploreHead, rest: text.subarray(end + 1) };
}

async function* joined(first: Buffer, chunks: Chunks): Chunks {
  yield first;
  yield* chunks;
}

/** If the visitor has left, nobody reads this text. */
const CANCELLED = 'The query was cancelled, because pacekeeper serve is stopping. Try again when it runs.';
const READ_LESS = 'Read fewer rows, or sum them by day or month.';

async function* run(
  program: URL,
  order: ExploreOrder,
  { timeMs, downloadMs, memoryBytesMax }: Limits,
  places: ReturnType<typeof createPlaces>,
  gone: AbortSignal,
): Chunks {
  await places.take(gone);
  // Without an environment, the process knows no secrets.
  const child = spawn(execPath, [fileURLToPath(program)], { env: {}, stdio: ['pipe', 'pipe', 'ignore'] });
  let why: string | undefined;
  const end = (words: string) => {
    why ??= words;
    child.kill('SIGKILL');
  };
  const leave = () => end(CANCELLED);
  gone.addEventListener('abort', leave);
  if (gone.aborted) leave();
  const late = setTimeout(() => end(`The download took too long. ${READ_LESS}`), downloadMs);
  // Frees the place although nobody may read the rest: a visitor can leave a download unread.
  const ended = once(child, 'exit')
    .catch(() => [])
    .finally(() => {
      clearTimeout(late);
      gone.removeEventListener('abort', leave);
      places.free();
    });
  try {
    // The process may end before it has read everything. Its exit says why.
    child.stdin.on('error', () => undefined).end(JSON.stringify(order));
    const chunks = child.stdout[Symbol.asyncIterator]();
    for (let leftMs = timeMs; ; ) {
      const startedMs = performance.now();
      const over = setTimeout(() => end(`The query ran for more than ${timeMs / 1000} seconds. ${READ_LESS}`), leftMs);
      const { value, done } = await chunks.next().finally(() => clearTimeout(over));
      if (done) break;
      leftMs = Math.max(0, leftMs - (performance.now() - startedMs));
      yield value as Buffer;
    }
    const [code, signal] = (await ended) as [code?: number | null, signal?: string | null];
    if (why === undefined && signal === 'SIGKILL')
      why = `The query needed more than ${memoryBytesMax / 1024 / 1024} MiB of memory. ${READ_LESS}`;
    if (why === undefined && code !== 0) why = `The query ended without a whole answer. ${READ_LESS}`;
    if (why !== undefined) throw new Ended(why);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** Lets {@link RUNNING_MAX} queries run. Further ones wait in their order. */
function createPlaces() {
  const waiting = new Set<() => void>();
  let running = 0;
  return {
    async take(gone: AbortSignal): Promise<void> {
      if (running < RUNNING_MAX) {
        running += 1;
        return;
      }
      if (waiting.size >= WAITING_MAX) throw new TooManyQueries(`${WAITING_MAX} queries are already waiting.`);
      await new Promise<void>((begin, leave) => {
        waiting.add(begin);
        gone.addEventListener('abort', () => waiting.delete(begin) && leave(new Ended(CANCELLED)));
      });
    },
    free(): void {
      const [next] = waiting;
      if (next === undefined) running -= 1;
      else {
        waiting.delete(next);
        next();
      }
    },
  };
}
