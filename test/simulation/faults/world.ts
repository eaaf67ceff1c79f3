import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AppDeps, open } from '../../../src/app.ts';
import { undoChange } from '../../../src/commands/budgets/run-budgets.ts';
import { extract } from '../../../src/commands/extract/run-extract.ts';
import { freeze, unfreeze } from '../../../src/commands/freeze/run-freeze.ts';
import { alertSettings } from '../../../src/config/alert-settings.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { instantText } from '../../../src/domain/civil-date.ts';
import { ApiError, BusyError, InputError } from '../../../src/domain/errors.ts';
import { customerId } from '../../../src/domain/ids.ts';
import { type Micros, micros } from '../../../src/domain/micros.ts';
import type { App } from '../../../src/engine/app.ts';
import { freezeFile } from '../../../src/engine/budgets/kill-switch.ts';
import { nextPath } from '../../../src/storage/files/replace-file.ts';
// Loaded before time stands still, because nobody sees that a process waits for a module.
import '../../../src/channels/alertmanager/deliver.ts';
import '../../../src/channels/discord/deliver.ts';
import '../../../src/channels/email/deliver.ts';
import '../../../src/channels/email/send-mail.ts';
import '../../../src/channels/google_chat/deliver.ts';
import '../../../src/channels/graph/deliver.ts';
import '../../../src/channels/messages/deliver.ts';
import '../../../src/channels/ntfy/deliver.ts';
import '../../../src/channels/pagerduty/deliver.ts';
import '../../../src/channels/post-json.ts';
import '../../../src/channels/slack/deliver.ts';
import '../../../src/channels/teams/deliver.ts';
import '../../../src/channels/webhook/deliver.ts';
import '../../../src/engine/folder/postgres-engine.ts';
import '../../../src/language/targets/check-overlap.ts';
import '../../../src/language/targets/exchange-rates.ts';
import '../../../src/language/targets/target-csv.ts';
import '../../../src/language/targets/target-file.ts';
import '../../../src/engine/folder/sqlite-engine.ts';
import '../../../src/services/ads/library-token.ts';
import { serveRuns } from '../../../src/commands/worker/serve-runs.ts';
import { approveProposals, codesOf, rejectProposals } from '../../../src/engine/change/approve-proposal.ts';
import { reconcileBudgets } from '../../../src/engine/change/change-budgets.ts';
import { type Inputs, inputsNow } from '../../../src/engine/load-inputs.ts';
import { shareWork } from '../../../src/engine/queue/shared-work.ts';
import { report } from '../../../src/engine/report.ts';
import { deliverAlertsAlone } from '../../../src/engine/tell/deliver-alerts.ts';
import { toldLog } from '../../support/told-log.ts';
import { type Product, putQuery } from './product.ts';
import type { Sabotage } from './sabotage.ts';
import { AdsService } from './services/ads-service.ts';
import { EXCLUDED_MANAGER, MARKET } from './services/market.ts';
import { Network, type NetworkWatcher, type Sent } from './services/network.ts';
import { PhoneService } from './services/phone-service.ts';
import { PLAN_SHEET, planFile, reallocationFile } from './services/plan-sheet.ts';
import { SharedTasks } from './shared-tasks.ts';
import type { SeedStore } from './stores/seed-store.ts';
import { BESIDE, type Beginning, type JobName, type Start, type Story, type WorkerStart } from './story.ts';
import { Timeline } from './timeline.ts';
import { type Hang, VirtualProcess } from './virtual-process.ts';

/** How a process ended. */
export interface ProcessEnd {
  readonly process: VirtualProcess;
  readonly job: JobName;
  readonly how: 'killed' | 'busy' | 'refused' | 'done' | 'failed';
  readonly failures: readonly string[];
  /** The run's number, where it got one. */
  readonly runId: bigint | undefined;
  readonly stopped: boolean;
}

/** Without a code, an error is told as a bug of the program. */
const hasCode = (error: unknown) => error instanceof Error && 'code' in error;

/** The smallest step of the currencies of the market. */
const UNIT = 10_000n;
const ANNA = { by: 'anna', why: 'because' };
/** The process of a run leaves new tasks to others for so long, because a run has few of them. */
const LATE_MS = 2500;
/** No process may take longer: every wait and every retry is bounded. */
const LONGEST_MS = 12 * 3_600_000;

/** Everybody has written on every channel. */
function repliesAt(people: FaultWorld['people'], atMs: number): string {
  const at = instantText(atMs);
  const rows = people
    .flatMap(({ addresses }) => addresses.filter((address) => /\d$/.test(address)))
    .map((address) => {
      const channel = address.startsWith('whatsapp:') ? 'messages' : 'graph';
      return `('reply ${address}', '${channel}', '${address}', 'Hello', 'not_understood', '${at}', '${at}')`;
    });
  const columns = 'dedupe_key, channel, sender, text, outcome, received_at, handled_at';
  return `INSERT INTO reply (${columns}) VALUES ${rows.join(', ')}`;
}

/** What the story leaves of a recipient's addresses. */
function asIn<Recipient extends object>({ beside, lacksPhone }: Story, name: string, one: Recipient): Recipient {
  const others = BESIDE.filter((channel) => channel !== beside).map((channel) => [channel, undefined]);
  const phone = lacksPhone && name === 'ben' ? { messages: undefined } : {};
  return { ...one, ...Object.fromEntries(others), ...phone };
}

/** One seed's world: both services, the network before them, a data folder, and the processes that come and go. */
export class FaultWorld {
  readonly timeline: Timeline;
  readonly ads: AdsService;
  readonly phones: PhoneService;
  readonly network: Network;
  readonly folder: string;
  readonly store: SeedStore;
  readonly traced: string[] = [];
  readonly processes: VirtualProcess[] = [];
  readonly workers: VirtualProcess[] = [];
  /** Processes with other files have a queue of their own. */
  readonly #tasksOf: (inputs: Inputs) => SharedTasks;
  /** What was set by hand, `customer/budget` and when. */
  readonly foreign: { readonly budget: string; readonly to: bigint; readonly atMs: number }[] = [];
  /** What every process said loudly. */
  readonly warnings: string[] = [];
  /** When the service last suspended an account or let it back, by identifier. */
  readonly suspendedAtMs = new Map<string, number>();
  readonly settings: Settings;
  /** Who is told, each at any of the addresses. */
  readonly people: readonly { readonly name: string; readonly addresses: readonly string[] }[];
  /** Names of the rules that there are now. */
  rules: readonly string[];
  /** The days of the target; undefined while there is none. */
  plan: { readonly from: string; readonly to: string; readonly reallocates: boolean } | undefined;
  #ofPlan: Pick<Inputs, 'targets' | 'rates'> | undefined;
  readonly product: Product;
  readonly story: Story;
  /** When the first process began whose query has another column, and since when every one's has. */
  maybeWiderSinceMs = Number.POSITIVE_INFINITY;
  widerSinceMs = Number.POSITIVE_INFINITY;
  /** Errors that no command knows what to do with. */
  readonly broken: string[] = [];
  /** Told of each request; set by who checks. */
  watcher: NetworkWatcher = { sent: () => undefined, arrives: () => undefined };

  readonly #sabotage: Sabotage;

  constructor(product: Product, story: Story, folder: string, store: SeedStore, sabotage: Sabotage) {
    this.#sabotage = sabotage;
    this.product = product;
    this.story = story;
    this.rules = story.rules;
    this.folder = folder;
    this.store = store;
    this.timeline = new Timeline(story.startMs);
    const tasks = new SharedTasks(this.timeline, store);
    const wider = new SharedTasks(this.timeline, store);
    this.#tasksOf = ({ queries }) => (queries === product.widerInputs.queries ? wider : tasks);
    const now = () => this.timeline.now();
    this.ads = new AdsService(now, story);
    this.phones = new PhoneService(now);
    this.phones.loses = story.losesMessages;
    if (story.wrote === 'at the start') this.phones.wroteAtMs = story.startMs;
    const services = { ads: this.ads, phones: this.phones };
    const watcher = {
      sent: (sent: Sent) => this.watcher.sent(sent),
      arrives: (sent: Sent, again: boolean) => this.watcher.arrives(sent, again),
    };
    this.network = new Network(this.timeline, services, story.random.fork(), watcher);
    // Something stands where the published file is written.
    if (!story.publishes) mkdirSync(nextPath(join(this.folder, 'warehouse.sqlite')));
    const settings = product.settings[story.tokens === undefined ? 'fixed' : 'renewed'];
    const excluding = {
      ...settings,
      ads: { ...settings.ads, excludeCustomerIds: story.excludes ? [customerId(EXCLUDED_MANAGER)] : [] },
    };
    const given = sabotage.settings?.(excluding) ?? excluding;
    const recipients = new Map([...given.alerts.recipients].map(([name, one]) => [name, asIn(story, name, one)]));
    this.settings = {
      ...given,
      alerts: { ...given.alerts, recipients },
      automation: { ...given.automation, mode: story.mode },
      paths: {
        ...settings.paths,
        data: this.folder,
        queries: join(this.folder, 'queries'),
        targets: join(this.folder, 'targets'),
      },
      store: { ...settings.store, url: store.url },
      extract: {
        ...settings.extract,
        concurrency: story.concurrency,
        settleDays: new Map([['stats', story.settleDays]]),
      },
    };
    putQuery(this.settings.paths.queries, false);
    this.people = alertSettings(this.settings.alerts).recipients.map(({ name, addresses }) => ({
      name,
      addresses: [...addresses.values()],
    }));
    if (story.wrote !== 'never') store.alter(repliesAt(this.people, story.startMs));
  }

  async end(): Promise<void> {
    await this.store.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  trace(line: string): void {
    this.traced.push(`${new Date(this.timeline.now()).toISOString()} ${line}`);
  }

  rows<Row>(sql: string, ...values: unknown[]): Row[] {
    return this.store.rows<Row>(sql, ...values);
  }

  /** Somebody sets a budget without asking anybody. */
  setByHand(pick: number, percent: number): void {
    const budget = this.ads.budgetOf(pick);
    const to = ((this.ads.budgets.get(budget) ?? 0n) * BigInt(percent)) / 100n;
    this.ads.setByHand(budget, to);
    this.foreign.push({ budget, to, atMs: this.timeline.now() });
    this.trace(`${budget} is set to ${to} by hand`);
  }

  /** Somebody puts the file that freezes there, or takes it away. */
  putFile(there: boolean): void {
    const path = freezeFile(this.folder);
    if (there) writeFileSync(path, 'by hand\n');
    else rmSync(path, { force: true });
    this.trace(`the file FREEZE is ${there ? 'there' : 'gone'}`);
  }

  suspend(account: number, suspended: boolean): void {
    const id = MARKET[account]?.id ?? '';
    if (suspended) this.ads.suspended.add(id);
    else this.ads.suspended.delete(id);
    this.suspendedAtMs.set(id, this.timeline.now());
    this.trace(`${id} is ${suspended ? '' : 'not '}suspended`);
  }

  /** From now on, every change is made and answered with one of these refusals. */
  lie(lies: Network['lies']): void {
    this.network.lies = lies;
    this.trace(lies.length > 0 ? `changes are made and refused: ${lies.join(', ')}` : 'nobody lies any more');
  }

  /** Somebody has taken all rules away but these. */
  haveRules(names: readonly string[]): void {
    this.rules = names;
    this.trace(`the rules are ${names.join(', ')}`);
  }

  /** From now on, a target is the only one that changes budgets. */
  async havePlan(reallocates: boolean): Promise<void> {
    this.haveRules(['busy']);
    const [from = '', to = ''] = [-PLAN_SHEET.daysBefore, PLAN_SHEET.daysAfter].map((days) =>
      instantText(this.timeline.now() + days * 86_400_000).slice(0, 10),
    );
    putQuery(this.settings.paths.queries, this.story.widerFrom !== undefined);
    mkdirSync(this.settings.paths.targets, { recursive: true });
    writeFileSync(
      join(this.settings.paths.targets, `${PLAN_SHEET.name}.yaml`),
      reallocates ? reallocationFile() : planFile(from, to),
    );
    const inputs = await inputsNow(this.settings, this.timeline.now());
    const wrong = inputs.findings.flatMap(({ diagnostics }) => diagnostics.filter((one) => one.severity === 'error'));
    if (wrong.length > 0) throw new Error(JSON.stringify(wrong));
    const { targets, rates } = inputs;
    this.plan = { from, to, reallocates };
    this.#ofPlan = { targets, rates };
    this.trace(`there is a target that ${reallocates ? 'reallocates' : `has an amount from ${from} to ${to}`}`);
  }

  /** From now on, what comes of asking for the tree of the excluded manager. */
  showExcluded(tree: AdsService['excludedTree']): void {
    this.ads.excludedTree = tree;
    this.trace(`the tree of ${EXCLUDED_MANAGER} is ${tree}`);
  }

  /** Whether budgets are frozen, by the record or by the file, for whoever only looks. */
  isFrozen(): boolean {
    const sql = "SELECT kind FROM budget_event WHERE kind IN ('frozen', 'unfrozen') ORDER BY id DESC LIMIT 1";
    return existsSync(freezeFile(this.folder)) || this.rows<{ kind: string }>(sql)[0]?.kind === 'frozen';
  }

  /** Somebody puts older records there. */
  async putBack(): Promise<void> {
    this.trace('the records are those of some time before');
    await this.store.putBack();
    this.#sabotage.afterRestore?.(this.store, this.folder);
  }

  /** Starts processes and lets time pass until all of them have ended. `atCommit` is told of the commits of each. */
  async run(
    starts: readonly Start[],
    workers: readonly WorkerStart[] = [],
    atCommit?: (times: number) => void,
  ): Promise<ProcessEnd[]> {
    const ends: ProcessEnd[] = [];
    this.#widen(starts.length);
    const stopWorkers = this.#beginWorkers(this.store.url === undefined ? [] : workers);
    for (const start of starts) {
      const process = this.#process(`${start.job}-${this.processes.length + 1}`, start);
      this.processes.push(process);
      process.atCommit = atCommit;
      this.#begin(process, start, () => this.#live(process, start).then((end) => ends.push(end)));
    }
    const all = this.processes.slice(-starts.length);
    const isOver = () => all.every((one) => one.dead || ends.some(({ process }) => process === one));
    await this.timeline.runUntil(isOver, this.timeline.now() + LONGEST_MS);
    await stopWorkers();
    this.#sabotage.afterStep?.(this.store, this.folder);
    return all.map((process, index) => {
      const job = starts[index]?.job ?? 'report';
      const ended = ends.find((end) => end.process === process);
      const end: ProcessEnd =
        process.dead || ended === undefined
          ? { process, job, how: 'killed', failures: [], runId: undefined, stopped: false }
          : ended;
      this.trace(`${process.name} ${end.how}${end.failures.length > 0 ? `, ${end.failures.length} failures` : ''}`);
      return end;
    });
  }

  #process(name: string, about: Beginning & { readonly hang?: Hang | undefined }): VirtualProcess {
    return new VirtualProcess(this.timeline, { ...about, name }, (line) => this.trace(line));
  }

  #begin(process: VirtualProcess, { afterMs, stopAfterMs }: Beginning, live: () => Promise<unknown>): void {
    this.timeline.begin(process, () => void live(), afterMs);
    if (stopAfterMs !== undefined) this.timeline.after(afterMs + stopAfterMs, process, () => process.stop.abort());
  }

  /** They work for the runs that begin next, with the same files. Answers with what stops them. */
  #beginWorkers(starts: readonly WorkerStart[]): () => Promise<void> {
    const inputs = this.#inputsOf(this.processes.length + 1);
    const gone = new Set<VirtualProcess>();
    const all = starts.map((start) => {
      const process = this.#process(`worker-${this.workers.length + 1}`, start);
      this.workers.push(process);
      this.#begin(process, start, () => this.#serve(process, inputs).then(() => gone.add(process)));
      return process;
    });
    return async () => {
      for (const { stop } of all) stop.abort();
      const isOver = () => all.every((one) => one.dead || gone.has(one));
      await this.timeline.runUntil(isOver, this.timeline.now() + LONGEST_MS);
    };
  }

  async #serve(process: VirtualProcess, inputs: Inputs): Promise<void> {
    const tasks = this.#tasksOf(inputs);
    const queue = tasks.of(process);
    const deps = { ...this.#depsOf(process), stop: process.stop.signal };
    tasks.register(process);
    try {
      await serveRuns({ settings: this.settings, deps, inputs, queue, width: this.story.concurrency });
    } catch (error) {
      if (!process.dead) this.broken.push(`${process.name} threw ${error instanceof Error ? error.stack : error}`);
    } finally {
      tasks.unregister(process);
    }
  }

  /** As the program finds workers and shares its work with them, in the time of this world. */
  #sharing(process: VirtualProcess, inputs: Inputs, deps: AppDeps): App['shareWork'] {
    return async (runId) => {
      const queue = this.#tasksOf(inputs).of(process, LATE_MS);
      if ((await queue.countWorkers()).own === 0) return undefined;
      await queue.removeEarlier();
      const [held] = this.rows<{ token: bigint }>('SELECT token FROM run_lock');
      const run = { runId, token: held?.token ?? 0n };
      const { clock, log } = deps;
      const { pauses, stop } = process;
      return shareWork({ queue, run, width: this.story.concurrency, clock, pauses, log, stop: stop.signal });
    };
  }

  #widen(starts: number): void {
    const { widerFrom = Number.POSITIVE_INFINITY } = this.story;
    const now = this.timeline.now();
    if (this.processes.length + starts >= widerFrom) this.maybeWiderSinceMs = Math.min(this.maybeWiderSinceMs, now);
    if (this.processes.length + 1 >= widerFrom) this.widerSinceMs = Math.min(this.widerSinceMs, now);
  }

  async #live(process: VirtualProcess, { job }: Start): Promise<ProcessEnd> {
    let runId: bigint | undefined;
    const onRun = (id: bigint) => {
      runId = id;
    };
    const deps = { ...this.#depsOf(process), onRun };
    const about = { process, job, stopped: false, runId };
    try {
      const result = await this.#work(job, process, deps);
      const stopped = process.stop.signal.aborted;
      const failures = result.failures.filter((failure) => !this.#isWanted(failure));
      return { ...about, how: failures.length === 0 ? 'done' : 'failed', failures, runId, stopped };
    } catch (error) {
      const failures = [error instanceof Error ? error.message : String(error)];
      if (error instanceof BusyError) return { ...about, how: 'busy', failures: [] };
      if (error instanceof InputError) return { ...about, how: 'refused', failures, runId };
      if (process.dead) return { ...about, how: 'killed', failures: [] };
      // What the program tells and ends with; anything else is a defect.
      if (!(error instanceof ApiError || (process.lost && hasCode(error))))
        this.broken.push(`${process.name} threw ${error instanceof Error ? error.stack : error}`);
      return { ...about, how: 'failed', failures, runId };
    }
  }

  #depsOf(process: VirtualProcess): AppDeps {
    return {
      clock: process.clock,
      pauses: process.pauses,
      log: toldLog({ warn: (line) => this.warnings.push(line) }),
      passes: (point) => process.passes(point),
      deliveryPasses: (point) => process.passes(point),
      stop: process.stop.signal,
      openHttp: (timeouts, _, stop) => {
        if (timeouts === undefined) throw new Error('The waits are always said.');
        const client = this.network.clientFor(process, timeouts, stop);
        return this.#sabotage.http?.(client, this.folder) ?? client;
      },
      waitMs: 30_000,
    };
  }

  /** Nothing is published in this story, because we are in the way. */
  #isWanted(failure: string): boolean {
    return !this.story.publishes && failure.startsWith('warehouse.sqlite could not be published');
  }

  /** Of the process with that number. */
  #inputsOf(number: number): Inputs {
    const { widerFrom = Number.POSITIVE_INFINITY } = this.story;
    const read = number >= widerFrom ? this.product.widerInputs : this.product.inputs;
    const own = { ...read, rules: read.rules.filter(({ name }) => this.rules.includes(name)), ...this.#ofPlan };
    return this.#sabotage.inputs?.(own) ?? own;
  }

  #work(job: JobName, process: VirtualProcess, deps: AppDeps): Promise<{ readonly failures: readonly string[] }> {
    const { settings } = this;
    const inputs = this.#inputsOf(this.processes.indexOf(process) + 1);
    const sharing = this.store.url === undefined ? undefined : this.#sharing(process, inputs, deps);
    const locked = (command: string, work: (app: App) => Promise<{ readonly failures: readonly string[] }>) =>
      open(settings, deps, { what: 'all', lock: `pacekeeper ${command}` }, (app) =>
        work({ ...app, shareWork: sharing }),
      );
    switch (job) {
      case 'report':
        return locked('report', (app) => report(app, inputs, { customers: [], dryRun: false, noExtract: false }));
      case 'extract':
        return locked('extract', (app) => extract(app, inputs, { customers: [], scope: { kind: 'window' } }));
      case 'reconcile':
        return locked('budgets reconcile', reconcileBudgets);
      case 'deliver':
        return open(settings, deps, { what: 'all' }, deliverAlertsAlone);
      case 'approve':
        return locked('budgets approve', async (app) => {
          const isCautious = this.processes.indexOf(process) % 2 === 0;
          const codes = await this.#codesToApprove(app, isCautious);
          return approveProposals(app, codes, { ...ANNA, amounts: isCautious ? this.#smallerSteps() : new Map() });
        });
      case 'reject':
        return open(settings, deps, { what: 'state', lock: 'pacekeeper budgets reject' }, async (app) => {
          const { failures } = await rejectProposals(app, [this.#openProposals()[0]?.code ?? 'XXXX'], ANNA);
          return { failures };
        });
      case 'freeze':
      case 'unfreeze':
        return open(settings, deps, { what: 'stateAtOnce' }, async ({ state }) => {
          await { freeze, unfreeze }[job](state, this.folder, ANNA, deps.clock.now());
          return { failures: [] };
        });
      case 'undo':
        return locked('budgets undo', (app) => undoChange(app, this.#lastChange() ?? 99n, ANNA));
    }
  }

  /** Of a target, the whole plan. Otherwise one change, or all. */
  async #codesToApprove(app: App, isAll: boolean): Promise<readonly string[]> {
    if (this.plan !== undefined) return codesOf(app, PLAN_SHEET.name);
    const open = this.#openProposals().map(({ code }) => code);
    return open.length === 0 ? ['XXXX'] : isAll ? open : open.slice(0, 1);
  }

  /** Half of each second change. */
  #smallerSteps(): ReadonlyMap<string, Micros> {
    const halves = this.#openProposals().flatMap(({ code, from_micros: from, to_micros: to }, index) => {
      const half = ((to - from) / 2n / UNIT) * UNIT;
      return half === 0n || index % 2 === 1 ? [] : [[code, micros(from + half)] as const];
    });
    return new Map(halves);
  }

  #openProposals() {
    return this.rows<{ code: string; from_micros: bigint; to_micros: bigint }>(
      "SELECT code, from_micros, to_micros FROM budget_proposal WHERE state = 'open' ORDER BY customer_id, budget_id",
    );
  }

  #lastChange(): bigint | undefined {
    const sql = "SELECT id FROM budget_intent WHERE state IN ('applied', 'confirmed') ORDER BY id DESC LIMIT 1";
    return this.rows<{ id: bigint }>(sql)[0]?.id;
  }
}
