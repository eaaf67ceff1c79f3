import { Worker } from 'node:worker_threads';
import type { Settings } from '../../config/settings.ts';
import type { PageSource } from '../../dashboard/status/page-source.ts';
import { type PageAnswer, type PageOrder, type PageWork, pageSource } from '../../dashboard/status/page-work.ts';
import { pauseUnless } from '../../engine/process-time.ts';

/** After this time, a new thread makes the waiting pages. */
const PAGE_TIME_MS = 30_000;
const LATE = `A page took more than ${PAGE_TIME_MS / 1000} seconds.`;
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

export function pageWorkerSource(
  program: URL,
  settings: Settings,
  pause: typeof pauseUnless = pauseUnless,
): PageSource {
  const waiting = new Map<string, Asked>();
  let working: { readonly id: number; readonly asked: Asked; readonly done: AbortController } | undefined;
  let worker: Worker | undefined;
  let last = 0;
  let isClosed = false;

  const start = (): Worker => {
    const started = new Worker(program, { workerData: settings });
    started.on('message', ({ id, answer }: { id: number; answer: PageAnswer }) => working?.id === id && end(answer));
    started.on(
      'error',
      (error) => worker === started && giveUp(`The thread that makes pages stopped: ${error.message}`),
    );
    started.on('exit', () => worker === started && giveUp('The thread that makes pages stopped.'));
    started.unref();
    return started;
  };
  const begin = (): void => {
    if (working !== undefined) return;
    const next = [...waiting].find(([, { work }]) => isUrgent(work)) ?? [...waiting][0];
    if (next === undefined) return;
    const [key, asked] = next;
    waiting.delete(key);
    worker ??= start();
    last += 1;
    const id = last;
    const done = new AbortController();
    working = { id, asked, done };
    const order: PageOrder = { id, work: asked.work };
    worker.postMessage(order);
    void pause(done.signal, PAGE_TIME_MS).then(() => (working?.id === id ? giveUp(LATE) : undefined));
  };
  const end = (answer: PageAnswer): void => {
    const ended = working;
    working = undefined;
    ended?.done.abort();
    ended?.asked.settle(answer);
    begin();
  };
  /** Ends the thread, because the thread can be in any state after a problem. */
  const giveUp = (problem: string): Promise<number> | undefined => {
    const ended = worker;
    worker = undefined;
    end({ kind: 'failed', problem });
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
    begin();
    return answer;
  };
  return pageSource(ask, async () => {
    isClosed = true;
    const problem = 'The server is stopping.';
    for (const { settle } of waiting.values()) settle({ kind: 'failed', problem });
    waiting.clear();
    await giveUp(problem);
  });
}
