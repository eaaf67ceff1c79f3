import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { corpusOf } from './corpus.ts';
import { Coverage } from './coverage.ts';
import { failureOf, fuzz } from './fuzz-loop.ts';
import { TARGETS } from './targets.ts';
import { threadMs, threadNumber } from './thread-time.ts';
import { SharedInput, type Task, type WorkerMessage } from './worker-task.ts';
import { WRONG_TARGETS } from './wrong-targets.ts';

/** Where a failure comes from is read from its first lines; a text of nothing but mistakes makes an error for each. */
Error.stackTraceLimit = 4;

if (!isMainThread && parentPort) {
  const port = parentPort;
  const tell = (message: WorkerMessage) => port.postMessage(message);
  const { target: name, seed, task, memory, skip } = workerData as Task;
  const target = [...TARGETS, ...WRONG_TARGETS].find((one) => one.name === name);
  if (!target) throw new RangeError(`No target ${name}.`);
  const shared = new SharedInput(memory);
  shared.thread = threadNumber();
  if (task.kind === 'try') {
    shared.write(task.input);
    const failure = await failureOf(target, Buffer.from(task.input));
    tell({ kind: 'tried', failed: failure !== undefined });
  } else {
    // Counted from here: loading the program takes a while. Of a processor: on a busy machine each has its share all the same.
    await run(threadMs() + task.forMs, task.inputsMax);
  }

  async function run(endsAtMs: number, inputsMax: number): Promise<void> {
    if (!target) return;
    const seeds = [...target.seeds().map((text) => Buffer.from(text)), ...corpusOf(name).map(({ input }) => input)];
    const corpus = seeds.filter((input) => !skip.some((one) => input.equals(one)));
    const coverage = new Coverage();
    let tried = 0;
    const outcome = await fuzz(
      target,
      { seed, corpus, coverage },
      {
        before: (input) => shared.write(input),
        goesOn(inputs) {
          tried = inputs;
          if (inputs % 200 === 0) tell({ kind: 'progress', inputs: tried, places: coverage.places });
          return inputs < inputsMax && threadMs() < endsAtMs;
        },
        found: ({ message, input }) => tell({ kind: 'found', message, input }),
      },
    );
    const { inputs, kept } = outcome;
    tell({ kind: 'done', inputs, kept: [...kept], places: coverage.places });
  }
}
