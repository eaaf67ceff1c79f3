import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Settings } from '../../config/settings.ts';
import type { PageSource } from '../../dashboard/status/page-source.ts';
import {
  isLong,
  type PageAnswer,
  type PageOrder,
  type PageWork,
  pageSource,
} from '../../dashboard/status/page-work.ts';
import { pauseUnless } from '../../engine/process-time.ts';

/** After this time, a new thread makes the waiting pages. */
const PAGE_TIME_MS = 30_000;
const LATE = `A page took more than ${PAGE_TIME_MS / 1000} seconds.`;
/** More ends the thread of back-tests, instead of the server. */
const LONG_MEMORY_MIB = 768;
/** Enough for 200 viewers who open several pages each. A waiting request needs a few kilobytes. */
const WAITING_MAX = 500;

interface Asked {
  readonly work: PageWork;
  readonly answer: Promise<PageAnswer>;
  settle(answer: PageAnswer): void;
}

/** Acts and health checks do not wait behind the pages of many viewers. Nor does the page that confirms an act. */
function isUrgent(work: PageWork): boolean {
  return work.job === 'render' ? work.asked.form !== undefined : work.job !== 'picture';
}

interface Thread {
  readonly takes: 'any' | 'urgent' | 'long';
  /** Started with its first work. */
  worker: Worker | undefined;
  working: { readonly id: number; readonly asked: Asked; readonly done: AbortController } | undefined;
}

const THREADS_MAX = 4;

/**
 * More threads than cores make no page faster, and each keeps its own answers. One is for urgent work only, and one for
 * back-tests, one at a time.
 */
function threadsOfMachine(): readonly Thread['takes'][] {
  return [...Array<'any'>(Math.min(availableParallelism(), THREADS_MAX)).fill('any'), 'urgent', 'long'];
}

export function pageWorkerSource(
  program: URL,
  settings: Settings,
  pause: typeof pauseUnless = pauseUnless,
  takes = threadsOfMachine(),
): PageSource {
  const waiting = new Map<string, Asked>();
  const threads = takes.map((one): Thread => ({ takes: one, worker: undefined, working: undefined }));
  let last = 0;
  let isClosed = false;

  const start = (thread: Thread): Worker => {
    const resourceLimits = thread.takes === 'long' ? { maxOldGenerationSizeMb: LONG_MEMORY_MIB } : {};
    const started = new Worker(program, { workerData: settings, resourceLimits });
    const isOurs = () => thread.worker === started;
    started.on(
      'message',
      ({ id, answer }: { id: number; answer: PageAnswer }) => thread.working?.id === id && end(thread, answer),
    );
    started.on('error', (error) => isOurs() && giveUp(thread, `The thread that makes pages stopped: ${error.message}`));
    started.on('exit', () => isOurs() && giveUp(thread, 'The thread that makes pages stopped.'));
    started.unref();
    return started;
  };
  const begin = (thread: Thread): void => {
    if (thread.working !== undefined) return;
    const own = [...waiting].filter(([, { work }]) => isLong(work) === (thread.takes === 'long'));
    const urgent = own.find(([, { work }]) => isUrgent(work));
    const next = urgent ?? (thread.takes === 'urgent' ? undefined : own[0]);
    if (next === undefined) return;
    const [key, asked] = next;
    waiting.delete(key);
    thread.worker ??= start(thread);
    last += 1;
    const id = last;
    const done = new AbortController();
    thread.working = { id, asked, done };
    const order: PageOrder = { id, work: asked.work };
    thread.worker.postMessage(order);
    void pause(done.signal, PAGE_TIME_MS).then(() => (thread.working?.id === id ? giveUp(thread, LATE) : undefined));
  };
  const end = (thread: Thread, answer: PageAnswer): void => {
    const ended = thread.working;
    thread.working = undefined;
    ended?.done.abort();
    ended?.asked.settle(answer);
    begin(thread);
  };
  /** Ends the thread, because the thread can be in any state after a problem. */
  const giveUp = (thread: Thread, problem: string): Promise<number> | undefined => {
    const ended = thread.worker;
    thread.worker = undefined;
    end(thread, { kind: 'failed', problem });
    return ended?.terminate();
  };
  const ask = async (work: PageWork): Promise<PageAnswer> => {
    if (isClosed) throw new Error('The server is stopping.');
    // A page in progress is not shared, because it can lack later changes.
    const key = JSON.stringify(work);
    const same = waiting.get(key);
    if (same !== undefined) return same.answer;
    if (waiting.size >= WAITING_MAX) throw new Error(`${WAITING_MAX} pages are already waiting.`);
    let settle: Asked['settle'] = () => undefined;
    const answer = new Promise<PageAnswer>((settled) => {
      settle = settled;
    });
    waiting.set(key, { work, answer, settle });
    for (const thread of threads) begin(thread);
    return answer;
  };
  return pageSource(ask, async () => {
    isClosed = true;
    const problem = 'The server is stopping.';
    for (const { settle } of waiting.values()) settle({ kind: 'failed', problem });
    waiting.clear();
    await Promise.all(threads.map((thread) => giveUp(thread, problem)));
  });
}
