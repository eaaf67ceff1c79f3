import { Worker } from 'node:worker_threads';
import { minimise } from './inputs/minimise.ts';
import { threadMs } from './thread-time.ts';
import { SharedInput, type Task, type WorkerMessage } from './worker-task.ts';

/** Of a processor: most inputs take a thousandth of it. */
const HANGS_MS = 10_000;
/** Of passing time: what waits for something that never comes needs no processor. */
const WAITS_MS = 15_000;
const IDLE_MS = 100;
const WAIT = 'Wait';
const LOOK_MS = 250;
const HEAP_MB = 1_024;
const YOUNG_MB = 96;
/** Each of these costs a thread, and where it hangs {@link HANGS_MS}. */
const HANG_TRIES = 24;
const WAIT_TRIES = 4;

export interface WatchedFailure {
  readonly message: string;
  readonly input: Buffer;
}

export interface Watched {
  readonly inputs: number;
  readonly places: number;
  readonly kept: readonly Buffer[];
  /** The input at which the thread hung or died; the others are told as they are found. */
  readonly fatal: WatchedFailure | undefined;
}

/** Runs one thread, ends it where an input takes too long, and tells what became of it. */
export function watchWorker(
  program: URL,
  task: Omit<Task, 'memory'>,
  found: (failure: WatchedFailure) => void = () => undefined,
): Promise<Watched> {
  const shared = new SharedInput();
  const worker = new Worker(program, {
    workerData: { ...task, memory: shared.memory } satisfies Task,
    // Inputs leave nothing behind: with room for many of them little is ever moved.
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  let inputs = 0;
  let places = 0;
  let turn = -1;
  let usedMs = 0;
  let sinceMs = 0;
  const nowMs = () => threadMs(shared.thread);
  let kept: readonly Buffer[] = [];
  return new Promise((resolve) => {
    let ended = false;
    const end = (fatal?: WatchedFailure) => {
      // The thread's exit follows whatever else ended it.
      if (ended) return;
      ended = true;
      clearInterval(look);
      void worker.terminate().then(() => resolve({ inputs, places, kept, fatal }));
    };
    const look = setInterval(() => {
      // The first input waits until the program is loaded.
      if (shared.turn !== turn || shared.turn === 0) [turn, usedMs, sinceMs] = [shared.turn, nowMs(), Date.now()];
      else if (nowMs() - usedMs > HANGS_MS) {
        end({ message: `Hang: no end after ${HANGS_MS / 1000} s of a processor`, input: shared.read() });
      } else if (Date.now() - sinceMs > WAITS_MS && nowMs() - usedMs < IDLE_MS) {
        end({ message: `${WAIT}: nothing is done for ${WAITS_MS / 1000} s`, input: shared.read() });
      }
    }, LOOK_MS);
    worker.on('message', (message: WorkerMessage) => {
      if (message.kind === 'found') return found({ ...message, input: Buffer.from(message.input) });
      if (message.kind === 'tried') {
        return end(message.failed ? { message: 'It fails.', input: shared.read() } : undefined);
      }
      inputs = message.inputs;
      places = message.places;
      if (message.kind !== 'done') return;
      kept = message.kept.map((input) => Buffer.from(input));
      end();
    });
    worker.on('error', (error: Error) =>
      end({ message: `Died: ${error.stack ?? error.message}`, input: shared.read() }),
    );
    // Whoever is done says so first.
    worker.on('exit', (code) => end({ message: `Died: the thread ended with status ${code}`, input: shared.read() }));
  });
}

/**
 * The shortest input near this one at which a thread still hangs or dies, as far as a few tries find it. Undefined where it
 * does so no more when it is tried alone: then the machine was busy.
 */
export async function minimiseFatal(
  program: URL,
  target: string,
  { input, message }: WatchedFailure,
): Promise<Buffer | undefined> {
  const fails = async (candidate: Buffer): Promise<boolean> => {
    const task = { kind: 'try', input: candidate } as const;
    const { fatal } = await watchWorker(program, { target, seed: 0, skip: [], task });
    return fatal !== undefined;
  };
  return (await fails(input)) ? minimise(input, fails, message.startsWith(WAIT) ? WAIT_TRIES : HANG_TRIES) : undefined;
}
