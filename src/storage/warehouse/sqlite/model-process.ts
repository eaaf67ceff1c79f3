import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Member } from '../../../domain/member.ts';
import { failingStatements } from '../models/model.ts';
import { ModelFailure, type ModelLimits, tooLarge, tooManyRows, tooSlow } from '../models/model-failure.ts';
import { onceBeyondLimits } from '../models/model-rows.ts';
import type { FailingRows, ModelRows } from '../store.ts';
import { type Computation, IN_ONE_DAY, type ModelAnswer, type ModelOrder } from './compute-models.ts';
import { SQLITE_NAMES } from './sqlite-names.ts';

/** Beside the program. Tests use the built program. */
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? '../../../../dist/explore-process.js' : './explore-process.js',
  import.meta.url,
);

/** Computes one model at a time in another process, because only the end of its process interrupts SQLite. */
export class ModelProcess {
  readonly #statePath: string;
  readonly #limits: ModelLimits;
  #started: { readonly child: ChildProcess; readonly ready: Promise<unknown> } | undefined;

  constructor(statePath: string, limits: ModelLimits) {
    this.#statePath = statePath;
    this.#limits = limits;
  }

  /** Throws {@link ModelFailure} if the model fails or exceeds a limit. */
  async compute<Value>(order: ModelOrder): Promise<Value> {
    const answer = await this.#answer({ ...order, statePath: this.#statePath, maxRows: this.#limits.maxRows });
    if (answer.kind === 'computed') return answer.value as Value;
    throw answer.kind === 'failed' ? new ModelFailure(answer.reason) : tooManyRows(this.#limits);
  }

  async #answer(order: ModelOrder & Computation): Promise<ModelAnswer> {
    const { child, ready } = this.#start();
    const over = new AbortController();
    const { signal } = over;
    let isLate = false;
    let late: NodeJS.Timeout | undefined;
    const ended = async (): Promise<never> => {
      const [, endedBy] = await once(child, 'exit', { signal });
      if (isLate) throw tooSlow(this.#limits);
      throw endedBy === 'SIGKILL' ? tooLarge(this.#limits) : new ModelFailure('its process ended early');
    };
    const answered = async (): Promise<ModelAnswer> => {
      // The time limit does not count the start of the process, which takes long on a busy machine.
      await ready;
      late = setTimeout(() => {
        isLate = true;
        child.kill('SIGKILL');
      }, this.#limits.maxSeconds * 1000);
      child.send(order);
      const [answer] = await once(child, 'message', { signal });
      return answer as ModelAnswer;
    };
    try {
      return await Promise.race([answered(), ended()]);
    } finally {
      clearTimeout(late);
      over.abort();
    }
  }

  #start() {
    if (this.#started) return this.#started;
    const child = fork(fileURLToPath(PROGRAM), [String(this.#limits.maxMemoryMb * 1024 * 1024)], {
      // Without our environment, the process knows no secrets. Large sorts need the space of a data folder.
      env: { SQLITE_TMPDIR: dirname(this.#statePath) },
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.once('exit', () => {
      this.#started = undefined;
    });
    this.#started = { child, ready: once(child, 'message') };
    return this.#started;
  }

  close(): void {
    this.#started?.child.kill('SIGKILL');
  }
}

/** In a process of its own, because nothing else can interrupt SQLite. The server of the other engine interrupts by itself. */
export function modelRows(statePath: string, limits: ModelLimits): ModelRows {
  const process = new ModelProcess(statePath, limits);
  let last: Promise<unknown> = Promise.resolve();
  // One after the other, so that the time limit counts no waiting.
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  const compute = onceBeyondLimits(({ name, select }, customer, demand) => {
    const sql = select(SQLITE_NAMES);
    const oneDaySql = select(SQLITE_NAMES, IN_ONE_DAY);
    return process.compute<readonly Member[]>({ kind: 'members', name, sql, oneDaySql, customer, demand });
  });
  return {
    members: (model, customer, demand) => inTurn(() => compute(model, customer, demand)),
    failing: ({ name, select, ...about }) =>
      inTurn(() => {
        const statements = failingStatements(select(SQLITE_NAMES), about);
        return process.compute<FailingRows>({ kind: 'failing', name, statements });
      }),
    close: () => process.close(),
  };
}
