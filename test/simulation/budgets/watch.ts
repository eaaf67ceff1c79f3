import type { Fault } from '../../../src/sandbox/fault-modes.ts';
import type { SandboxRequest } from '../../../src/sandbox/read-request.ts';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';
import type { Look } from '../../support/look.ts';
import { dayOf } from '../account-calendar.ts';
import type { Bounds } from './rule-specs.ts';

/** What a watcher must know of the job that runs. */
export interface Watched {
  readonly sandbox: Sandbox;
  readonly now: () => number;
  readonly timeZoneOf: (customer: string) => string;
  /** By `rule@version`. */
  readonly bounds: ReadonlyMap<string, Bounds>;
  readonly job: () => WatchedJob;
}

export interface WatchedJob {
  readonly kind: 'report' | 'other';
  readonly mode: 'propose' | 'approve' | 'apply';
  /** The process has ended. */
  readonly crashed: boolean;
  readonly frozen: boolean;
  /** `customer/budget` of what someone has changed since the job began: nobody could know. */
  readonly changedMeanwhile: ReadonlySet<string>;
}

interface IntentRow {
  readonly id: bigint;
  readonly kind: 'rule' | 'undo';
  readonly customer_id: bigint;
  readonly budget_id: bigint;
  readonly account_day: string;
  readonly rule: string;
  readonly rule_version: string;
  readonly actor: string;
  readonly from_micros: bigint;
  readonly to_micros: bigint;
  readonly floor_micros: bigint | null;
  readonly ceiling_micros: bigint | null;
}

/** A change that arrived and was carried out. */
export interface Carried {
  readonly intentId: bigint;
  readonly kind: 'rule' | 'undo';
  readonly budget: string;
  readonly accountDay: string;
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Looks at each request as it arrives, before it is answered, with the eyes of someone who has only the service and a
 * connection of their own to the state file. Writes down what must never be.
 */
export class Watcher {
  readonly violations: string[] = [];
  readonly carried: Carried[] = [];
  readonly #watched: Watched;
  readonly #state: Look;
  /** Operations that the running job has asked about and that would be accepted. */
  readonly #validated = new Set<string>();

  constructor(watched: Watched, state: Look) {
    this.#watched = watched;
    this.#state = state;
  }

  beginJob(): void {
    this.#validated.clear();
  }

  arrived(request: SandboxRequest, fault: Fault | undefined): void {
    if (request.kind !== 'mutate') return;
    const job = this.#watched.job();
    this.#expect(!job.crashed, 'a mutate arrived after the process had ended');
    this.#expect(!job.frozen, 'a mutate arrived while budgets were frozen');
    const body = JSON.parse(request.body) as Record<string, unknown>;
    this.#expect(body.partialFailure === true, `partialFailure is ${body.partialFailure}`);
    const operations = body.operations as Record<string, Record<string, unknown>>[];
    for (const [index, operation] of operations.entries()) {
      const { resourceName, amountMicros } = operation.update ?? {};
      this.#expect(
        `${operation.updateMask}` === 'amount_micros' && Object.keys(operation).length === 2,
        `updateMask is ${operation.updateMask}`,
      );
      this.#expect(
        typeof amountMicros === 'string' && /^[1-9]\d*$/.test(amountMicros),
        `amountMicros is ${JSON.stringify(amountMicros)}`,
      );
      const [, customer = '', budget = ''] = /^customers\/(\d+)\/campaignBudgets\/(\d+)$/.exec(`${resourceName}`) ?? [];
      this.#expect(customer === request.customerId, `the resource name is ${resourceName}`);
      const key = `${customer}/${budget}=${amountMicros}`;
      if (request.validateOnly) {
        if (saysYes(fault, index)) this.#validated.add(key);
      } else {
        this.#expect(this.#validated.has(key), `${key} was sent and not validated before`);
        this.#changeArrived(customer, budget, BigInt(`${amountMicros}`), isDone(fault, index));
      }
    }
  }

  #changeArrived(customer: string, budget: string, amount: bigint, done: boolean): void {
    const { sandbox, now, timeZoneOf } = this.#watched;
    const name = `${customer}/${budget}`;
    const own = this.#state
      .prepare<[bigint, bigint], IntentRow & { state: string }>(
        `SELECT * FROM budget_intent WHERE customer_id = ? AND budget_id = ? AND state IN
          ('planned', 'validated', 'sending', 'unknown') ORDER BY id`,
      )
      .all(BigInt(customer), BigInt(budget));
    const intent = own.find(({ state, to_micros }) => state === 'sending' && to_micros === amount);
    this.#expect(intent !== undefined, `${amount} for ${name} was sent and no committed intent is about to send it`);
    this.#expect(own.length <= 1, `${name} has ${own.length} changes under way`);
    if (intent === undefined) return;
    const today = dayOf(now(), timeZoneOf(customer));
    const live = sandbox.budgetAmount(customer, budget);
    this.#chainIsRight(intent);
    this.#mayBeSent(intent, today);
    this.#isWithin(intent);
    this.#nothingIsOverwritten(intent, name, live);
    const before = this.carried.filter(({ intentId }) => intentId === intent.id);
    this.#expect(
      before.every(({ to }) => to !== amount) || live !== amount,
      `intent ${intent.id} was sent again although it had been carried out`,
    );
    if (!done) return;
    const { id, kind, from_micros: from } = intent;
    const sameDay = this.carried.find(
      (one) => one.kind === 'rule' && one.budget === name && one.accountDay === today && one.intentId !== id,
    );
    this.#expect(kind === 'undo' || sameDay === undefined, `${name} had a second change of rules on ${today}`);
    this.carried.push({ intentId: id, kind, budget: name, accountDay: today, from, to: amount });
  }

  /** The events say that it is about to be sent, and never that it was made. */
  #chainIsRight({ id }: IntentRow): void {
    const kinds = this.#state
      .prepare<[bigint], string>('SELECT kind FROM budget_event WHERE intent_id = ? ORDER BY id')
      .pluck()
      .all(id);
    this.#expect(kinds.at(-1) === 'sending', `intent ${id} was sent and its newest event is ${kinds.at(-1)}`);
    const made = kinds.find((kind) => kind === 'applied' || kind === 'confirmed');
    this.#expect(made === undefined, `intent ${id} was sent again after it was ${made}`);
  }

  #mayBeSent({ id, kind, actor, account_day, customer_id, budget_id }: IntentRow, today: string): void {
    const { kind: job, mode } = this.#watched.job();
    const allowed = mode === 'apply' || (mode === 'approve' && actor.startsWith('approved by '));
    this.#expect(
      job === 'other' || kind === 'undo' || allowed,
      `intent ${id} of ${actor} was sent while automation may only ${mode}`,
    );
    if (kind !== 'rule') return;
    this.#expect(account_day === today, `intent ${id} counts for ${account_day} and was sent on ${today}`);
    const foreign = this.#state
      .prepare<[bigint, bigint, string, bigint], bigint>(
        `SELECT event_id FROM foreign_change WHERE customer_id = ? AND budget_id = ? AND account_day = ? AND event_id <
          (SELECT min(id) FROM budget_event WHERE intent_id = ?)`,
      )
      .pluck()
      .get(customer_id, budget_id, today, id);
    this.#expect(
      foreign === undefined,
      `intent ${id} was decided on the day of the foreign change of event ${foreign}`,
    );
  }

  #isWithin(intent: IntentRow): void {
    const { id, kind, rule, rule_version, from_micros: from, to_micros: to, floor_micros, ceiling_micros } = intent;
    const bounds = this.#watched.bounds.get(`${rule}@${rule_version}`);
    if (bounds === undefined) {
      this.violations.push(`intent ${id} is of a rule ${rule}@${rule_version} that there never was`);
      return;
    }
    const { floor, ceiling, stepPercent } = bounds;
    this.#expect((floor_micros ?? undefined) === floor, `intent ${id} has the floor ${floor_micros}`);
    this.#expect((ceiling_micros ?? undefined) === ceiling, `intent ${id} has the ceiling ${ceiling_micros}`);
    this.#expect(floor === undefined || to >= floor, `${to} of intent ${id} is below the floor ${floor}`);
    this.#expect(ceiling === undefined || to <= ceiling, `${to} of intent ${id} is above the ceiling ${ceiling}`);
    if (kind === 'undo' || stepPercent === undefined) return;
    const change = to > from ? to - from : from - to;
    this.#expect(change * 100n <= from * BigInt(stepPercent), `intent ${id} changes ${from} by ${change}`);
  }

  /** What someone has set before the job began is either what the change was decided on, or stops it. */
  #nothingIsOverwritten({ id, kind, from_micros, to_micros }: IntentRow, name: string, live: bigint): void {
    if (this.#watched.job().changedMeanwhile.has(name)) return;
    this.#expect(live === from_micros, `intent ${id} was decided on ${from_micros}, and ${name} is ${live}`);
    const known = this.ledger().get(name);
    this.#expect(
      kind === 'undo' || known === undefined || known === live || known === to_micros,
      `intent ${id} was sent although someone has set ${name} from ${known} to ${live}`,
    );
  }

  /** What each budget was last set to by what the events tell, `customer/budget` to micros. */
  ledger(): Map<string, bigint> {
    const rows = this.#state
      .prepare<[], { name: string; amount: string }>(
        `SELECT detail ->> 'customer_id' || '/' || (detail ->> 'budget_id') AS name,
          CASE kind WHEN 'foreign_change' THEN detail ->> 'found_micros' ELSE detail ->> 'to_micros' END AS amount
        FROM budget_event WHERE kind IN ('applied', 'confirmed', 'foreign_change') ORDER BY id`,
      )
      .all();
    return new Map(rows.map(({ name, amount }) => [name, BigInt(amount)]));
  }

  #expect(holds: boolean, otherwise: string): void {
    if (!holds) this.violations.push(otherwise);
  }
}

/** Whether the answer to a validation says that the operation would be carried out. */
function saysYes(fault: Fault | undefined, index: number): boolean {
  if (fault === undefined || fault.kind === 'replace' || (fault.kind === 'status' && fault.status === 200)) return true;
  // An answer of no characters refuses nothing.
  if (fault.kind === 'truncate' && fault.afterBytes === 0) return true;
  return fault.kind === 'refuse_operations' && !fault.indexes.includes(index);
}

/** Whether the service does what it is asked although the fault spoils the answer. */
function isDone(fault: Fault | undefined, index: number): boolean {
  if (fault?.kind === 'refuse_operations') return !fault.indexes.includes(index);
  return fault === undefined || !['status', 'html', 'reset_before', 'hang_before'].includes(fault.kind);
}
