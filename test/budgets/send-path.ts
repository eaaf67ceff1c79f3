import { onTestFinished } from 'vitest';
import { type CivilDate, civilDateAt } from '../../src/domain/civil-date.ts';
import { type BudgetId, customerId } from '../../src/domain/ids.ts';
import { type Micros, micros } from '../../src/domain/micros.ts';
import { type BudgetDeps, type CrashPoint, passesEverywhere } from '../../src/engine/budgets/budget-deps.ts';
import { applyIntents, planIntents, settleIntents } from '../../src/engine/budgets/carry-out.ts';
import { killSwitch } from '../../src/engine/budgets/kill-switch.ts';
import type { DeclaredBudget } from '../../src/engine/budgets/read-budgets.ts';
import type { Fault } from '../../src/sandbox/fault-modes.ts';
import type { SandboxRequest } from '../../src/sandbox/read-request.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { createTokenSource } from '../../src/services/ads/access-token.ts';
import type { HttpTimeouts } from '../../src/services/http/http-client.ts';
import { type Intent, intentsOf, type NewIntent, openIntents } from '../../src/storage/records/budgets/intent-table.ts';
import { connectTo, errorBody } from '../apis/ads/ads-client.ts';
import { testClient } from '../http/test-client.ts';
import { EUR, NOON } from '../sandbox/sandbox-client.ts';
import { type FakeClock, fakeClock } from '../support/fake-time.ts';
import { type AnyStore, freshPlace, removePlace, storeAt } from '../support/state.ts';
import { tempDir } from '../support/temp-dir.ts';

export const CUSTOMER = customerId(EUR);

export interface KnownBudget {
  readonly budgetId: BudgetId;
  readonly amount: Micros;
}

/** The send path against a sandbox and a state file of its own; only the clock and the pauses are not real. */
export interface SendPath {
  readonly sandbox: Sandbox;
  readonly clock: FakeClock;
  readonly folder: string;
  readonly budgets: readonly KnownBudget[];
  readonly deps: BudgetDeps;
  readonly state: AnyStore;
  fault: ((request: SandboxRequest) => Fault | undefined) | undefined;
  passes: (point: CrashPoint) => void;
  declared: ReadonlyMap<BudgetId, DeclaredBudget>;
  operationsMax: number;
  today(): CivilDate;
  /** The process ends and another begins: the state file is closed and opened again. */
  restart(): Promise<void>;
  /** At the end of the test, or when a test of many paths is done with this one. */
  end(): Promise<void>;
  /** Plans to take 10.00 from the first budgets of the account. */
  plan(count?: number, other?: Partial<NewIntent>, live?: readonly KnownBudget[]): Promise<Intent[]>;
  /** Plans and applies; the states of each. */
  change(count?: number, other?: Partial<NewIntent>): Promise<string[]>;
  apply(intents: readonly Intent[]): Promise<Intent[]>;
  /** Settles all that is open. */
  settle(mode?: 'propose' | 'approve' | 'apply'): Promise<Intent[]>;
  amounts(): Micros[];
  intents(): Promise<Intent[]>;
  states(): Promise<string[]>;
  /** The real changes that arrived, each as its budgets. */
  sends(): string[][];
  /** The operations of the real changes that arrived, and whether the service made them. */
  operations(): readonly SentOperation[];
  /** Operations that arrived without an intent that said beforehand that just this is being sent. */
  unrecorded(): readonly SentOperation[];
  rows(sql: string): Record<string, unknown>[];
}

export interface SentOperation {
  readonly budgetId: string;
  readonly amount: bigint;
  /** A service can also make later what it refused. */
  made: boolean;
}

export const CUT = 10_000_000n;

export interface SendPathOptions {
  readonly strict?: boolean;
  readonly timeouts?: HttpTimeouts;
  /** A running sandbox to use again; amounts stay what the last test made them. */
  readonly sandbox?: ChangingSandbox;
}

/** A sandbox whose faults change with the test. */
export interface ChangingSandbox {
  readonly sandbox: Sandbox;
  readonly clock: FakeClock;
  fault: SendPath['fault'];
  /** Told of each request with what will go wrong with it, before it is answered. */
  watch: ((request: SandboxRequest, fault: Fault | undefined) => void) | undefined;
}

export async function changingSandbox(strict = false): Promise<ChangingSandbox> {
  const clock = fakeClock(NOON);
  const shared: Pick<ChangingSandbox, 'fault' | 'watch'> = { fault: undefined, watch: undefined };
  const fault = (request: SandboxRequest) => {
    const given = shared.fault?.(request);
    shared.watch?.(request, given);
    return given;
  };
  const sandbox = await startSandbox({ stateFile: ':memory:', clock, seed: 1, strict, fault });
  return Object.assign(shared, { sandbox, clock });
}

export async function sendPath(options: SendPathOptions = {}): Promise<SendPath> {
  const service = options.sandbox ?? (await changingSandbox(options.strict));
  if (!options.sandbox) onTestFinished(() => service.sandbox.close());
  const { sandbox, clock } = service;
  const folder = tempDir();
  const place = await freshPlace();
  let state = await storeAt(place);
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= state.close().then(() => removePlace(place));
    return ended;
  };
  onTestFinished(end);
  const connection = connectTo(sandbox.url, { http: testClient(options.timeouts) });
  const { accessToken } = sandbox.credentials;
  const tokens = createTokenSource({ kind: 'access_token', accessToken }, connection);
  const budgets = (sandbox.market.accounts.find((account) => account.customerId === EUR)?.budgets ?? []).map(
    ({ budgetId }) => ({ budgetId, amount: sandbox.budgetAmount(EUR, budgetId) }),
  );
  const first = sandbox.requests.length;
  const operations: SentOperation[] = [];
  const unrecorded: SentOperation[] = [];
  const sending = (id: string, amount: bigint) =>
    state.connection
      .prepare("SELECT 1 FROM budget_intent WHERE state = 'sending' AND budget_id = ? AND to_micros = ?")
      .get(BigInt(id), amount) !== undefined;
  service.watch = (request, fault) => {
    for (const operation of operationsOf(request, fault)) {
      operations.push(operation);
      if (!sending(operation.budgetId, operation.amount)) unrecorded.push(operation);
    }
  };
  const path: SendPath = {
    sandbox,
    clock,
    folder,
    budgets,
    get state() {
      return state;
    },
    get fault() {
      return service.fault;
    },
    set fault(next) {
      service.fault = next;
    },
    passes: passesEverywhere,
    declared: new Map(),
    operationsMax: 10_000,
    get deps() {
      return {
        state,
        clock,
        operationsMax: path.operationsMax,
        readLagMs: 0,
        ads: { ...connection, tokens, pauses: connection.pauses },
        frozen: killSwitch({ state, clock }, folder).frozen,
        declared: () => path.declared,
        locale: () => undefined,
        passes: (point: CrashPoint) => path.passes(point),
      };
    },
    today: () => civilDateAt(clock.now(), 'Europe/Berlin'),
    async restart() {
      await state.close();
      state = await storeAt(place);
    },
    end,
    async plan(count = 1, other = {}, live = budgets) {
      const planned = live.slice(0, count).map((budget) => cut(budget, path.today(), other));
      return (await planIntents(path.deps, undefined, planned)).flatMap((intent) => intent ?? []);
    },
    async change(count, other) {
      return (await path.apply(await path.plan(count, other))).map(({ state }) => state);
    },
    apply: async (intents) => [...(await applyIntents(path.deps, CUSTOMER, intents, path.today)).values()],
    settle: async (mode = 'apply') => [
      ...(await settleIntents(path.deps, CUSTOMER, await openIntents(state.db), path.today, whileMode(mode))).values(),
    ],
    amounts: () => budgets.map(({ budgetId }) => sandbox.budgetAmount(EUR, budgetId)),
    intents: async () => (await intentsOf(state.db)).reverse(),
    states: async () => (await path.intents()).map((intent) => intent.state),
    sends: () =>
      sandbox.requests
        .slice(first)
        .filter(({ kind, validateOnly }) => kind === 'mutate' && !validateOnly)
        .map(({ body }) =>
          JSON.parse(body).operations.map(({ update }: { update: { resourceName: string } }) =>
            update.resourceName.replace(/.*\//, ''),
          ),
        ),
    operations: () => operations,
    unrecorded: () => unrecorded,
    rows: (sql) => state.connection.prepare(sql).all() as Record<string, unknown>[],
  };
  return path;
}

/** The faults after which the work is done all the same. */
const AFTER_THE_WORK = ['reset_after', 'hang_after', 'replace', 'cut', 'truncate', 'refuse_operations'];

function operationsOf({ kind, validateOnly, body }: SandboxRequest, fault: Fault | undefined): SentOperation[] {
  if (kind !== 'mutate' || validateOnly) return [];
  const works = fault === undefined || AFTER_THE_WORK.includes(fault.kind);
  const refused = fault?.kind === 'refuse_operations' ? fault.indexes : [];
  return JSON.parse(body).operations.map(
    ({ update }: { update: { resourceName: string; amountMicros: string } }, index: number) => ({
      budgetId: update.resourceName.replace(/.*\//, ''),
      amount: BigInt(update.amountMicros),
      made: works && !refused.includes(index),
    }),
  );
}

/** A rule's decision to take 10.00 from the budget. */
export function cut(
  { budgetId, amount }: KnownBudget,
  accountDay: CivilDate,
  other: Partial<NewIntent> = {},
): NewIntent {
  return {
    kind: 'rule',
    origin: other.kind === 'undo' ? 'undo' : 'rule',
    undoes: undefined,
    actor: 'rule trim@1f2e3d4c5b6a',
    customerId: CUSTOMER,
    budgetId,
    campaignId: undefined,
    campaignName: undefined,
    accountDay,
    currency: 'EUR',
    rule: 'trim',
    ruleVersion: '1f2e3d4c5b6a',
    from: amount,
    to: micros(amount - CUT),
    amountSource: 'read',
    declared: undefined,
    floor: micros(1_000_000n),
    ceiling: micros(500_000_000n),
    reason: 'cost / clicks = 2.71 > 2.50',
    ...other,
  };
}

/** The service refuses in its own words. */
export const saying = (status: 400 | 401 | 403 | 429): Extract<Fault, { readonly kind: 'status' }> => ({
  kind: 'status',
  status,
  body: JSON.stringify(errorBody(status, STATUS_WORDS[status])),
});

const STATUS_WORDS = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  429: 'RESOURCE_EXHAUSTED',
} as const;

/** The fault on real changes, not on their validation. */
export const onChange =
  (fault: Fault) =>
  ({ kind, validateOnly }: SandboxRequest): Fault | undefined =>
    kind === 'mutate' && !validateOnly ? fault : undefined;

export const onValidation =
  (fault: Fault) =>
  ({ kind, validateOnly }: SandboxRequest): Fault | undefined =>
    kind === 'mutate' && validateOnly ? fault : undefined;

/** The fault on reading the budgets. */
export const onReading =
  (fault: Fault) =>
  ({ kind, query }: SandboxRequest): Fault | undefined =>
    kind === 'stream' && query?.includes('FROM campaign') ? fault : undefined;

/** What may be sent again in accounts without limits, of rules that are let go as far as the settings let them. */
export function whileMode(mode: 'propose' | 'approve' | 'apply'): (intent: Pick<Intent, 'origin' | 'kind'>) => boolean {
  return ({ kind, origin }) => kind === 'undo' || mode === 'apply' || (mode === 'approve' && origin === 'approval');
}
