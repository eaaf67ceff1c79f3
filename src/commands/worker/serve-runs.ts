import { AsyncLocalStorage } from 'node:async_hooks';
import { type AppDeps, open } from '../../app.ts';
import type { Settings } from '../../config/settings.ts';
import { SHARED_CLOCK_OFF_MAX_MS } from '../../domain/clock-difference.ts';
import { requireAds } from '../../engine/accounts/find-accounts.ts';
import type { App } from '../../engine/app.ts';
import { type ChangesTask, changeForRun } from '../../engine/change/change-budgets.ts';
import { type EvaluationTask, evaluateForRun } from '../../engine/evaluate/share-evaluation.ts';
import { type Inputs, type RuleNamed, rulesByName } from '../../engine/load-inputs.ts';
import { systemPauses } from '../../engine/process-time.ts';
import { type Ending, serveTasks } from '../../engine/queue/serve-tasks.ts';
import type { TakenTask, TaskQueue } from '../../engine/queue/task-queue.ts';
import { type AccountTask, type QueryNamed, readForRun } from '../../engine/read/extract-accounts.ts';
import type { TaskLease } from '../../storage/records/lock-holder.ts';

const STOPPED = 'the worker was asked to stop';
/** An idle worker asks the database for tasks after this time. */
const IDLE_MS = 2000;

interface Serving {
  readonly settings: Settings;
  readonly deps: WorkerDeps;
  readonly inputs: Inputs;
  readonly queue: TaskQueue;
  /** Tasks at a time. */
  readonly width: number;
}

type WorkerDeps = AppDeps & { readonly stop: AbortSignal };

/** Works for runs of other processes until `deps.stop` aborts. */
export async function serveRuns({ settings, deps, inputs, queue, width }: Serving): Promise<void> {
  const { log, stop, pauses = systemPauses } = deps;
  const runs = new JoinedRuns(settings, deps, inputs);
  try {
    const take = (count: number) => takeOrWait(queue, count, log);
    const serving = { queue: { ...queue, take }, width, pauses, until: stop, idleMs: IDLE_MS };
    await serveTasks(serving, (task) => workOn(task, queue, runs, deps));
  } finally {
    await runs.leave();
  }
}

/** A database that cannot be reached now may come back. */
async function takeOrWait(queue: TaskQueue, count: number, log: AppDeps['log']): Promise<readonly TakenTask[]> {
  try {
    return await queue.take(count);
  } catch (error) {
    log.warn(`No task could be taken, trying again: ${reasonOf(error)}`);
    return [];
  }
}

async function workOn(task: TakenTask, queue: TaskQueue, runs: JoinedRuns, { log, stop }: WorkerDeps): Promise<Ending> {
  const fail = (error: unknown) => {
    log.with({ run: task.runId }).warn(`A task failed: ${reasonOf(error)}`);
    return queue.giveBack(task, reasonOf(error)).catch(() => undefined);
  };
  try {
    const result = await runs.work(task);
    if (stop.aborted) return () => queue.giveBack(task, STOPPED).catch(fail);
    return () => queue.done(task, result, true).catch(fail);
  } catch (error) {
    return () => fail(error);
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Transactions check that the task on which their caller works still belongs to this process. */
const taskNow = new AsyncLocalStorage<TaskLease>();

/** The records as this worker writes them for one run. */
interface OpenRecords {
  readonly token: bigint;
  readonly opened: Promise<App>;
  leave(): Promise<void>;
}

/** Keeps the records open for the newest run. A task of another run opens them again. */
class JoinedRuns {
  readonly #settings: Settings;
  readonly #deps: WorkerDeps;
  readonly #queries: QueryNamed;
  readonly #ruleNamed: RuleNamed;
  #joined: OpenRecords | undefined;

  constructor(settings: Settings, deps: WorkerDeps, { queries, rules }: Inputs) {
    this.#settings = settings;
    this.#deps = deps;
    this.#queries = new Map(queries.map((query) => [query.name, query]));
    this.#ruleNamed = rulesByName(rules);
  }

  work(task: TakenTask): Promise<unknown> {
    return taskNow.run(task.lease, () => this.#work(task));
  }

  async #work({ runId, token, kind, about, sentMs, waitedMs }: TakenTask): Promise<unknown> {
    if (Math.abs(this.#deps.clock.now() - sentMs - waitedMs) > SHARED_CLOCK_OFF_MAX_MS) {
      throw new Error('The clock of this machine differs from the clock of the machine with the run. Set it.');
    }
    const app = await this.#open(runId, token);
    const ads = requireAds(app, 'nothing can be read');
    const { customerId, loginCustomerId } = about.account;
    if (loginCustomerId) ads.logins.set(customerId, loginCustomerId);
    switch (kind) {
      case 'read':
        return readForRun(app, ads, runId, about as AccountTask, this.#queries);
      case 'evaluate':
        return evaluateForRun(app, ads, about as EvaluationTask, this.#ruleNamed);
      case 'change':
        return changeForRun(app, ads, about as ChangesTask);
    }
  }

  async #open(runId: bigint, token: bigint): Promise<App> {
    if (this.#joined?.token === token) return this.#joined.opened;
    const earlier = this.#joined;
    const joined = this.#join(runId, token);
    this.#joined = joined;
    const [app] = await Promise.all([joined.opened, earlier?.leave()]);
    return app;
  }

  async leave(): Promise<void> {
    await this.#joined?.leave();
  }

  #join(runId: bigint, token: bigint): OpenRecords {
    const leaving = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<App>();
    const joins = { runId, token, lease: () => taskNow.getStore() };
    const joined = open(this.#settings, this.#deps, { what: 'all', joins }, async (app) => {
      opened.resolve(app);
      await leaving.promise;
    });
    joined.catch((error) => {
      opened.reject(error);
      // The next task opens them again.
      if (this.#joined?.opened === opened.promise) this.#joined = undefined;
    });
    return {
      token,
      opened: opened.promise,
      async leave() {
        leaving.resolve();
        await joined.catch(() => undefined);
      },
    };
  }
}
