import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '../../../src/app.ts';
import { freeze, unfreeze } from '../../../src/commands/freeze/run-freeze.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { InputError } from '../../../src/domain/errors.ts';
import { customerId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/micros.ts';
import type { App } from '../../../src/engine/app.ts';
import type { CrashPoint } from '../../../src/engine/budgets/budget-deps.ts';
import type { Fault } from '../../../src/sandbox/fault-modes.ts';
import type { SandboxRequest } from '../../../src/sandbox/read-request.ts';
import { nextPath } from '../../../src/storage/files/replace-file.ts';
import type { Store } from '../../../src/storage/warehouse/store.ts';
import { type FakePauses, fakePauses } from '../../support/fake-time.ts';
import type { Look } from '../../support/look.ts';
import { cutOff, lookAtPlace, removePlace, settingsAt } from '../../support/state.ts';
import { toldLog } from '../../support/told-log.ts';
import type { Bounds } from './rule-specs.ts';
import { CUSTOMERS, type SharedService } from './service.ts';
import { type History, placeOf, type Trouble } from './steps.ts';
import { Watcher } from './watch.ts';

/** The process ended here, as far as the test is concerned. */
class Crash extends Error {}

/** How a job ended; `value` is undefined for one that crashed, or that refused to begin. */
export interface JobEnd<Value> {
  readonly value: Value | undefined;
  readonly crashed: boolean;
  readonly refusal: string | undefined;
}

/** One history: a data folder, the service as it was in the beginning, and somebody who watches both. */
export class HistoryWorld {
  readonly service: SharedService;
  readonly watcher: Watcher;
  /** A connection that the product knows nothing of. */
  readonly state: Look;
  readonly place: string;
  readonly bounds = new Map<string, Bounds>();
  /** Budgets that have campaigns in the statistics, `[customer, budget]`. */
  readonly budgets: readonly (readonly [string, string])[];
  frozen = false;
  /** The points at which a process ended, each as often as it did. */
  readonly crashes: CrashPoint[] = [];
  readonly #folder: string;
  readonly #history: History;
  readonly #pauses: FakePauses = fakePauses();
  readonly #job = { kind: 'other', mode: 'apply', crashed: false, changedMeanwhile: new Set<string>() } as {
    kind: 'report' | 'other';
    mode: Settings['automation']['mode'];
    crashed: boolean;
    changedMeanwhile: Set<string>;
  };

  static async begin(service: SharedService, history: History): Promise<HistoryWorld> {
    const folder = mkdtempSync(join(service.folder, 'history-'));
    const place = await service.fill(folder, history.start);
    // Something stands where the published file is written: it takes most of a run's time, and no budget depends on it.
    mkdirSync(nextPath(join(folder, 'warehouse.sqlite')));
    service.forget();
    service.clock.set(history.start);
    return new HistoryWorld(service, history, folder, place);
  }

  private constructor(service: SharedService, history: History, folder: string, place: string) {
    this.service = service;
    this.#history = history;
    this.#folder = folder;
    this.place = place;
    this.state = lookAtPlace(place);
    this.budgets = this.#budgetsInUse();
    const job = () => ({ ...this.#job, frozen: this.frozen });
    const { sandbox, clock } = service;
    const watched = { sandbox, now: () => clock.now(), timeZoneOf: (id: string) => this.timeZoneOf(id) };
    this.watcher = new Watcher({ ...watched, bounds: this.bounds, job }, this.state);
  }

  async end(): Promise<void> {
    this.service.onRequest = undefined;
    this.state.close();
    await removePlace(this.place);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  timeZoneOf(customer: string): string {
    return customer === CUSTOMERS[0] ? this.#history.timeZone : 'Asia/Tokyo';
  }

  rows<Row>(sql: string): Row[] {
    return this.state.prepare<[], Row>(sql).all();
  }

  amount(customer: string, budget: string): bigint {
    return this.service.sandbox.budgetAmount(customer, budget);
  }

  /** Someone sets a budget without asking anybody. */
  setByHand(customer: string, budget: string, amount: bigint): void {
    this.#job.changedMeanwhile.add(`${customer}/${budget}`);
    this.service.sandbox.setBudget(customer, budget, micros(amount));
  }

  /** Runs a job as a process of its own, which may end at a crash point. */
  async run<Value>(
    kind: 'report' | 'other',
    mode: Settings['automation']['mode'],
    trouble: Trouble,
    job: (app: App) => Promise<Value>,
  ): Promise<JobEnd<Value>> {
    const { clock } = this.service;
    Object.assign(this.#job, { kind, mode, crashed: false, changedMeanwhile: new Set() });
    this.watcher.beginJob();
    this.service.onRequest = this.#answering(trouble);
    let app: App | undefined;
    let left = trouble.crash?.nth ?? 0;
    const passes = (point: CrashPoint) => {
      if (point !== trouble.crash?.point || left-- > 0) return;
      this.#job.crashed = true;
      this.crashes.push(point);
      // Nothing is written after this, as when a process is killed: also not what a caller writes about a failure.
      if (app) cutOff(app.state, this.state);
      throw new Crash(point);
    };
    const quiet = () => undefined;
    const deps = { clock, pauses: this.#pauses, log: toldLog({ info: quiet, warn: quiet }), passes };
    try {
      const value = await open(this.#settings(mode), deps, { what: 'all', lock: 'a test' }, (opened) => {
        app = opened;
        return job(opened);
      });
      return { value, crashed: false, refusal: undefined };
    } catch (error) {
      if (this.#job.crashed) return { value: undefined, crashed: true, refusal: undefined };
      if (error instanceof InputError) return { value: undefined, crashed: false, refusal: error.message };
      throw error;
    } finally {
      this.service.onRequest = undefined;
    }
  }

  async freeze(how: 'record' | 'file'): Promise<void> {
    if (how === 'file') writeFileSync(join(this.#folder, 'FREEZE'), 'Wait.\n');
    else await this.#withState((state) => freeze(state, this.#folder, { by: 'anna', why: 'a sale' }, this.#now()));
    this.frozen = true;
  }

  async unfreeze(): Promise<void> {
    await this.#withState((state) => unfreeze(state, this.#folder, { by: 'anna', why: 'it is over' }, this.#now()));
    this.frozen = existsSync(join(this.#folder, 'FREEZE'));
  }

  #now(): number {
    return this.service.clock.now();
  }

  #withState(work: (state: Store | undefined) => Promise<unknown>): Promise<unknown> {
    const log = toldLog();
    return open(this.#settings('apply'), { clock: this.service.clock, log }, { what: 'stateAtOnce' }, ({ state }) =>
      work(state),
    );
  }

  /** The fault, and whatever else happens when a request arrives. */
  #answering({ fault, surprise }: Trouble): (request: SandboxRequest) => Fault | undefined {
    let atPlace = 0;
    let all = 0;
    return (request) => {
      if (surprise?.nth === all++) this.#surprise(surprise.what, surprise.pick);
      let chosen = this.#elsewhere(request);
      if (fault && placeOf(request) === fault.at) {
        if (atPlace >= fault.nth && atPlace <= fault.nth + fault.more) chosen = fault.fault;
        atPlace++;
      }
      this.watcher.arrived(request, chosen);
      if (surprise?.what === 'freeze' && all > surprise.nth) this.frozen = true;
      return chosen;
    };
  }

  /** It is known from the next request on: this one was on its way already. */
  #surprise(what: 'freeze' | 'foreign', pick: number): void {
    if (what === 'freeze') {
      writeFileSync(join(this.#folder, 'FREEZE'), 'Stop!\n');
      return;
    }
    const [customer, budget] = pickOf(this.budgets, pick) ?? ['', ''];
    this.setByHand(
      customer,
      budget,
      this.amount(customer, budget) + (customer === CUSTOMERS[0] ? 370_000n : 7_000_000n),
    );
  }

  /** The first account lies where the history wants it, whichever way the service is asked. */
  #elsewhere({ query = '', customerId: id }: SandboxRequest): Fault | undefined {
    const resource = /FROM (customer|customer_client)\s*$/.exec(query)?.[1];
    if (id !== CUSTOMERS[0] || resource === undefined) return undefined;
    const about = { id, descriptiveName: 'Elsewhere', currencyCode: 'EUR', timeZone: this.#history.timeZone };
    const client = { ...about, level: '0', manager: false, status: 'ENABLED' };
    const row = resource === 'customer' ? { customer: about } : { customerClient: client };
    return { kind: 'replace', body: JSON.stringify([{ results: [row], requestId: 'elsewhere' }]) };
  }

  #budgetsInUse(): (readonly [string, string])[] {
    const campaigns = new Set(
      this.rows<{ id: bigint }>('SELECT DISTINCT campaign_id AS id FROM stats').map(({ id }) => id.toString()),
    );
    return this.service.sandbox.market.accounts
      .filter(({ customerId: id }) => this.#customers().some((own) => own === id))
      .flatMap(({ customerId: id, budgets }) =>
        budgets
          .filter(({ campaignIds }) => campaignIds.some((campaign) => campaigns.has(campaign)))
          .map(({ budgetId }) => [id, budgetId] as const),
      );
  }

  #customers(): readonly string[] {
    return CUSTOMERS.slice(0, this.#history.accounts);
  }

  #settings(mode: Settings['automation']['mode']): Settings {
    const { settings } = this.service;
    const { changesPerRun, firstDelayMs } = this.#history;
    return {
      ...settingsAt(settings, this.place),
      paths: { ...settings.paths, data: this.#folder },
      ads: {
        ...settings.ads,
        // Its descriptions of fields are for the published file.
        catalogue: 'spec',
        customerIds: this.#customers().map(customerId),
        retry: { ...settings.ads.retry, attempts: 2, firstDelayMs },
      },
      // One after the other, so that the same history is the same again.
      extract: { ...settings.extract, concurrency: 1 },
      automation: { ...settings.automation, mode, changesPerRun },
    };
  }
}

export function pickOf<Value>(values: readonly Value[], pick: number): Value | undefined {
  return values.length === 0 ? undefined : values[pick % values.length];
}
