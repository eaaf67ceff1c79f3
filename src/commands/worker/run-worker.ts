import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import { type App, open } from '../../app.ts';
import { chooseInputs } from '../../cli/choose-inputs.ts';
import type { CommandApp } from '../../cli/command.ts';
import { InputError } from '../../domain/errors.ts';
import type { Log } from '../../domain/ports.ts';
import { engineOf } from '../../folder/engine.ts';
import { requireAds } from '../../pipeline/accounts/find-accounts.ts';
import { type ChangesTask, changeForRun } from '../../pipeline/change/share-changes.ts';
import { type EvaluationTask, evaluateForRun } from '../../pipeline/evaluate/share-evaluation.ts';
import { type Inputs, type RuleNamed, rulesByName } from '../../pipeline/load-inputs.ts';
import { type AccountTask, type QueryNamed, readForRun } from '../../pipeline/read/extract-accounts.ts';
import { systemPauses } from '../../process-time.ts';
import { type Ending, serveTasks } from '../../queue/serve-tasks.ts';
import { openTaskQueue, type TakenTask, type TaskQueue } from '../../queue/task-queue.ts';
import { workerGroup } from '../../queue/worker-group.ts';
import type { TaskLease } from '../../store/joined-run.ts';
import type { WorkerOptions } from './worker-command.ts';

/** A wrong clock would read and decide about wrong days. */
const CLOCK_DIFFERENCE_MAX_MS = 60_000;
const STOPPED = 'the worker was asked to stop';
/** An idle worker asks the database for tasks after this time. */
const IDLE_MS = 2000;

export async function runWorker(app: CommandApp, options: WorkerOptions): Promise<void> {
  const { settings, log, stop, output } = app;
  const { cluster } = await engineOf(settings);
  if (cluster === undefined) {
    throw new InputError('A worker shares records with other machines, so it needs a database.', {
      nextStep: 'Set store.url or PACEKEEPER_STORE_URL (docs/scale-out.md).',
    });
  }
  const width = options.concurrency ?? settings.extract.concurrency;
  const inputs = await chooseInputs(app, {});
  const group = workerGroup(settings);
  await cluster.prepareTaskQueue();
  const queue = await openTaskQueue(cluster.url, group, true, log);
  try {
    output.stdout.write(`${JSON.stringify({ worker: `${process.pid}@${hostname()}`, group, concurrency: width })}\n`);
    const runs = new JoinedRuns(app, inputs);
    try {
      const take = (count: number) => takeOrWait(queue, count, log);
      const serving = { queue: { ...queue, take }, width, pauses: systemPauses, until: stop, idleMs: IDLE_MS };
      await serveTasks(serving, (task) => workOn(task, queue, runs, { log, stop }));
    } finally {
      await runs.leave();
    }
  } finally {
    await queue.close();
  }
}

/** A database that cannot be reached now may come back. */
async function takeOrWait(queue: TaskQueue, count: number, log: Log): Promise<readonly TakenTask[]> {
  try {
    return await queue.take(count);
  } catch (error) {
    log.warn(`No task could be taken, trying again: ${reasonOf(error)}`);
    return [];
  }
}

async function workOn(
  task: TakenTask,
  queue: TaskQueue,
  runs: JoinedRuns,
  { log, stop }: { readonly log: Log; readonly stop: AbortSignal },
): Promise<Ending> {
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
  readonly #app: Pick<CommandApp, 'settings' | 'clock' | 'log' | 'stop'>;
  readonly #queries: QueryNamed;
  readonly #ruleNamed: RuleNamed;
  #joined: OpenRecords | undefined;

  constructor(app: CommandApp, { queries, rules }: Inputs) {
    this.#app = app;
    this.#queries = new Map(queries.map((query) => [query.name, query]));
    this.#ruleNamed = rulesByName(rules);
  }

  work(task: TakenTask): Promise<unknown> {
    return taskNow.run(task.lease, () => this.#work(task));
  }

  async #work({ runId, token, kind, about, sentMs, waitedMs }: TakenTask): Promise<unknown> {
    if (Math.abs(this.#app.clock.now() - sentMs - waitedMs) > CLOCK_DIFFERENCE_MAX_MS) {
      throw new Error('The clock of this machine differs from the clock of the machine with the run. Set it.');
    }
    if (this.#joined?.token !== token) {
      const earlier = this.#joined;
      this.#joined = this.#join(runId, token);
      await earlier?.leave();
    }
    const app = await this.#joined.opened;
    const ads = requireAds(app, 'nothing can be read');
    const { customerId, loginCustomerId } = about.account;
    if (loginCustomerId) ads.logins.learn(customerId, loginCustomerId);
    switch (kind) {
      case 'read':
        return readForRun(app, ads, runId, about as AccountTask, this.#queries);
      case 'evaluate':
        return evaluateForRun(app, ads, about as EvaluationTask, this.#ruleNamed);
      case 'change':
        return changeForRun(app, ads, about as ChangesTask);
    }
  }

  async leave(): Promise<void> {
    await this.#joined?.leave();
  }

  #join(runId: bigint, token: bigint): OpenRecords {
    const { settings, clock, log, stop } = this.#app;
    const leaving = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<App>();
    const joins = { runId, token, lease: () => taskNow.getStore() };
    const joined = open(settings, { clock, log, stop }, { what: 'all', joins }, async (app) => {
      opened.resolve(app);
      await leaving.promise;
    });
    joined.catch(opened.reject);
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
