import { isDeepStrictEqual } from 'node:util';
import { dayOf } from '../../account-calendar.ts';
import type { CarriedChange } from '../services/ads-service.ts';
import { MARKET } from '../services/market.ts';
import { isBudgetReading, type NetworkWatcher, type Sent } from '../services/network.ts';
import { PLAN_SHEET, STEP_PERCENT } from '../services/plan-sheet.ts';
import { RULE_SHEETS } from '../services/rule-sheets.ts';
import type { FaultWorld, ProcessEnd } from '../world.ts';
import { daysFrom } from './check-complete.ts';
import { type Known, tooSoonAfterPerson } from './check-persons.ts';

export interface IntentRow {
  readonly id: bigint;
  readonly kind: 'rule' | 'undo';
  readonly state: string;
  readonly actor: string;
  readonly rule: string;
  readonly account_day: string;
  readonly from_micros: bigint;
  readonly to_micros: bigint;
}

/** A reading of budgets is believed so long, and the body of the answer takes a moment. */
const READING_GOOD_MS = 2_010;
/** Faults that leave a reading whole. */
const WHOLE = [undefined, 'slow', 'twice', 'old_reading'];
/** Those whose amounts are of the moment at which they arrived. */
const PLAIN = [undefined, 'slow'];

/** Looks at each change when it leaves, knowing only the service, the rules as they are meant, and the state file. */
export class BudgetWatch implements NetworkWatcher {
  readonly wrong: string[] = [];
  /** The intent of each operation that was sent: request number and budget. */
  readonly intents = new Map<string, IntentRow>();
  /** What each budget was when a reading arrived, by the request. */
  readonly #readings = new Map<Sent, ReadonlyMap<string, bigint>>();
  /** The request that each `sending` event was committed for. */
  readonly #sentFor = new Map<bigint, number>();
  /** Reports that have ended well. */
  readonly #done = new Set<Sent['process']>();
  /** The newest event when processes had ended before. */
  #lastEvent = 0n;
  readonly #world: FaultWorld;

  constructor(world: FaultWorld) {
    this.#world = world;
  }

  sent(sent: Sent): void {
    const change = readChange(sent);
    if (change === undefined) return;
    if (change.partialFailure !== true) this.wrong.push(`request ${sent.number} does not allow for partial failure`);
    if (this.#world.isFrozen()) this.wrong.push(`request ${sent.number} changes budgets while they are frozen`);
    for (const operation of change.operations) this.#operationLeaves(sent, operation);
  }

  arrives(sent: Sent): void {
    if (!isBudgetReading(sent.request) || this.#readings.has(sent)) return;
    this.#readings.set(sent, this.#world.ads.seenBudgets(sent.course.lagMs));
  }

  /** Tells how processes have ended. A run that has failed to change a budget does not end well. */
  ended(ends: readonly ProcessEnd[]): void {
    for (const { process, job, how } of ends) if (job === 'report' && how === 'done') this.#done.add(process);
    const events = this.#world.rows<{ id: bigint; intent: bigint; kind: string }>(
      `SELECT id, intent_id AS intent, kind FROM budget_event WHERE id > ? ORDER BY id`,
      this.#lastEvent,
    );
    this.#lastEvent = events.at(-1)?.id ?? this.#lastEvent;
    if (ends.length === 0 || ends.some(({ how }) => how !== 'done')) return;
    const sent = events.filter(({ kind }) => kind === 'sending');
    const last = new Map(events.map(({ intent, ...event }) => [intent, event]));
    for (const { intent } of sent) {
      const { kind } = last.get(intent) ?? {};
      if (kind !== 'rejected' && kind !== 'unknown') continue;
      this.wrong.push(`intent ${intent} is ${kind}, and ${ends[0]?.process.name} that sent it has no failure`);
    }
  }

  knownOf(name: string): Known {
    const [customer = '', budget = ''] = name.split('/');
    const all = [...this.#readings].filter(([{ request }]) => request.url.includes(`/customers/${customer}/`));
    const kept = all.flatMap(([{ process, course, arrivedAtMs, status }, amounts]) =>
      this.#done.has(process) && status === 200 && PLAIN.includes(course.kind)
        ? [{ customer, atMs: arrivedAtMs ?? 0, amounts }]
        : [],
    );
    return {
      kept,
      firstReadAtMs: Math.min(...all.map(([{ arrivedAtMs }]) => arrivedAtMs ?? Number.POSITIVE_INFINITY)),
      requestsAtMs: this.#world.network.all
        .filter(({ request: { body = '' } }) => body.includes(`customers/${customer}/campaignBudgets/${budget}"`))
        .filter((sent) => readChange(sent) !== undefined)
        .map(({ atMs }) => atMs),
    };
  }

  #operationLeaves(sent: Sent, operation: Operation): void {
    const { number, process } = sent;
    const { update } = operation;
    const [, customer = '', budget = ''] = /^customers\/(\d+)\/campaignBudgets\/(\d+)$/.exec(update.resourceName) ?? [];
    const name = `${customer}/${budget}`;
    const amount = BigInt(update.amountMicros);
    const expect = (holds: boolean, otherwise: string) => {
      if (!holds) this.wrong.push(`request ${number} of ${process.name}: ${otherwise}`);
    };
    const meant = {
      updateMask: 'amount_micros',
      update: { resourceName: `customers/${customer}/campaignBudgets/${budget}`, amountMicros: `${amount}` },
    };
    expect(isDeepStrictEqual(operation, meant) && amount > 0n, `the operation is ${JSON.stringify(operation)}`);
    expect(sent.request.url.includes(`/customers/${customer}/`), `${name} is not of the request's account`);
    expect(this.#isValidated(process, update), `${amount} for ${name} is sent and was not validated before`);
    const own = this.#world.rows<IntentRow>(
      "SELECT * FROM budget_intent WHERE customer_id = ? AND budget_id = ? AND state IN ('planned', 'validated', 'sending', 'unknown')",
      BigInt(customer),
      BigInt(budget),
    );
    const intent = own.find(({ state, to_micros }) => state === 'sending' && to_micros === amount);
    expect(intent !== undefined, `${amount} for ${name} is sent and nothing committed is about to send it`);
    expect(own.length <= 1, `${name} has ${own.length} changes under way`);
    if (intent === undefined) return;
    this.intents.set(`${number} ${name}`, intent);
    const { id, kind, from_micros: from, actor } = intent;
    const events = this.#world.rows<{ id: bigint; kind: string }>(
      'SELECT id, kind FROM budget_event WHERE intent_id = ? ORDER BY id',
      id,
    );
    const last = events.at(-1);
    expect(last?.kind === 'sending', `intent ${id} is sent and its newest event is ${last?.kind}`);
    const before = last && this.#sentFor.get(last.id);
    expect(before === undefined, `intent ${id} is sent again under one commit, after request ${before}`);
    if (last) this.#sentFor.set(last.id, number);
    const made = events.find((event) => event.kind === 'applied' || event.kind === 'confirmed');
    expect(made === undefined, `intent ${id} is sent again after it was ${made?.kind}`);
    expect(amount !== from, `intent ${id} changes nothing`);
    const isAllowed = this.#world.story.mode === 'apply' || actor.startsWith('approved by ') || kind === 'undo';
    expect(isAllowed, `intent ${id} of ${actor} is sent while automation may only ${this.#world.story.mode}`);
    for (const end of this.#overBefore(id)) expect(false, `intent ${id} was approved after ${end}, its proposal's end`);
    for (const sentence of this.#wrongAbout(sent, customer, name, from)) expect(false, `intent ${id} ${sentence}`);
    const today = dayOf(this.#world.timeline.now(), timeZoneOf(name));
    if (kind === 'rule')
      expect(intent.account_day === today, `intent ${id} counts for ${intent.account_day} and is sent on ${today}`);
    for (const sentence of this.#outsideLimits(intent, name)) expect(false, `intent ${id} ${sentence}`);
    for (const sentence of this.#aboveTotal(intent, name, process)) expect(false, `intent ${id} ${sentence}`);
    for (const sentence of this.#beyondPlan(intent, name, process)) expect(false, `intent ${id} ${sentence}`);
    if (kind !== 'rule') return;
    for (const sentence of this.#tooSoon(intent, name)) expect(false, `intent ${id} ${sentence}`);
    // One that was sent before was decided before.
    if (this.#sentOften(id, name)) return;
    const cooldown = RULE_SHEETS.find((one) => one.name === intent.rule)?.change?.cooldown ?? 0;
    for (const sentence of tooSoonAfterPerson(this.#world, name, cooldown, process.beganAtMs, this.knownOf(name)))
      expect(false, `intent ${id} ${sentence}`);
  }

  /** The same process has asked whether the service would do it, and got an answer. */
  #isValidated(process: Sent['process'], { resourceName, amountMicros }: Operation['update']): boolean {
    return this.#world.network.all.some((one) => {
      if (one.process !== process || one.status !== 200 || !isMutate(one.request)) return false;
      const { validateOnly, operations } = readMutate(one.request);
      const isSame = ({ update }: Operation) =>
        update.resourceName === resourceName && update.amountMicros === amountMicros;
      return validateOnly && operations.some(isSame);
    });
  }

  #sentOften(id: bigint, name: string): boolean {
    return [...this.intents].filter(([key, intent]) => intent.id === id && key.endsWith(` ${name}`)).length > 1;
  }

  /** The cooldown is counted from what the service has made, whatever it has said of it. */
  #tooSoon({ id, rule }: IntentRow, name: string): string[] {
    const cooldown = RULE_SHEETS.find((one) => one.name === rule)?.change?.cooldown ?? 0;
    const last = ownChanges(this.#world, name).at(-1);
    if (last === undefined || this.intents.get(`${last.request} ${name}`)?.id === id) return [];
    // Somebody may have set the old amount again before anybody saw the new one.
    if (this.#world.foreign.some(({ budget, atMs }) => budget === name && atMs >= last.atMs)) return [];
    const dayAt = (instantMs: number) => dayOf(instantMs, timeZoneOf(name));
    const leftAtMs = this.#world.network.all[last.request - 1]?.atMs ?? last.atMs;
    const days = daysFrom(dayAt(leftAtMs), dayAt(this.#world.timeline.now()));
    if (days >= cooldown) return [];
    return [
      `is sent ${days} days after request ${last.request} had set ${name} to ${last.to}, and ${rule} waits ${cooldown}`,
    ];
  }

  /** The end that a proposal had when it was made, where it was approved after that. */
  #overBefore(intent: bigint): string[] {
    const rows = this.#world.rows<{ end: string; at: string }>(
      `SELECT made.detail ->> 'expires_at' AS end, approved.created_at AS at FROM budget_event AS approved
        JOIN budget_event AS made ON made.kind = 'proposed' AND made.detail ->> 'proposal_code' = approved.detail ->> 'proposal_code'
      WHERE approved.kind = 'approved' AND approved.intent_id = ?`,
      intent,
    );
    return rows.filter(({ end, at }) => end <= at).map(({ end }) => end);
  }

  /** A change is made on the amount that was read last, and that was a moment ago. */
  #wrongAbout(sent: Sent, customer: string, name: string, from: bigint): string[] {
    const read = [...this.#readings.keys()].findLast(
      ({ process, request, answeredAtMs, course }) =>
        process === sent.process &&
        request.url.includes(`/customers/${customer}/`) &&
        answeredAtMs !== undefined &&
        WHOLE.includes(course.kind),
    );
    if (read?.answeredAtMs === undefined) return ['is sent and its budget was not read'];
    const amount = this.#readings.get(read)?.get(name);
    const ageMs = sent.atMs - read.answeredAtMs;
    return [
      ...(amount === from ? [] : [`is made on ${from}, and ${name} was ${amount} when it was read`]),
      ...(ageMs <= READING_GOOD_MS ? [] : [`is sent ${ageMs} ms after the budget was read`]),
    ];
  }

  /** An increase of a reallocation leaves its budgets at no more than they had together when it was decided. */
  #aboveTotal({ id, rule, kind, from_micros: from, to_micros: to }: IntentRow, name: string, process: Sent['process']) {
    const { ads, plan, foreign } = this.#world;
    if (!plan?.reallocates || rule !== PLAN_SHEET.name || kind !== 'rule' || to <= from) return [];
    // Of a change since then, nobody can know.
    if (foreign.some(({ atMs }) => atMs >= process.beganAtMs)) return [];
    const lines = this.#world.rows<{ name: string; before: bigint }>(
      `SELECT customer_id || '/' || budget_id AS name, from_micros AS before FROM budget_intent
        WHERE rule = ? AND origin = 'rule' AND run_id = (SELECT run_id FROM budget_intent WHERE id = ? AND origin = 'rule')
      UNION SELECT customer_id || '/' || budget_id, from_micros FROM budget_proposal
        WHERE rule = ? AND run_id = (SELECT run_id FROM budget_proposal WHERE intent_id = ?)`,
      rule,
      id,
      rule,
      id,
    );
    const before = lines.reduce((sum, one) => sum + one.before, 0n);
    const after = lines.reduce((sum, one) => sum + (one.name === name ? to : (ads.budgets.get(one.name) ?? 0n)), 0n);
    if (lines.length < 2) return [`raises ${name} and lowers nothing`];
    return after > before ? [`brings ${lines.length} budgets from ${before} to ${after} together`] : [];
  }

  /** With an increase of the target, all budgets together spend no more on the days that are left than is left. */
  #beyondPlan({ rule, kind, from_micros: before, to_micros: to }: IntentRow, name: string, process: Sent['process']) {
    const { ads, plan, timeline, foreign } = this.#world;
    if (plan === undefined || plan.reallocates || rule !== PLAN_SHEET.name || kind !== 'rule' || to <= before)
      return [];
    const days = new Set(MARKET.map(({ timeZone }) => dayOf(timeline.now(), timeZone)));
    const [today = ''] = days;
    // Of a change since then, nobody can know. Around midnight, one account counts the day that the other has before it.
    if (days.size > 1 || foreign.some(({ atMs }) => atMs >= process.beganAtMs)) return [];
    const inTarget = (customer: string, amount: bigint) =>
      amount * (MARKET.find(({ id }) => id === customer)?.currency === 'USD' ? PLAN_SHEET.rateHundredths : 100n);
    let total = 0n;
    let spent = 0n;
    for (const { id, campaigns } of MARKET) {
      for (const budget of new Set(campaigns.map(({ budgetId }) => `${id}/${budgetId}`)))
        total += inTarget(id, budget === name ? to : (ads.budgets.get(budget) ?? 0n));
      const [costs] = this.#world.rows<{ cost: bigint | null }>(
        `SELECT CAST(sum(cost_micros) AS bigint) AS cost FROM stats JOIN account_day AS day USING (customer_id, date)
        WHERE day.query = 'stats' AND day.state = 'settled' AND customer_id = ? AND date BETWEEN ? AND ? AND date < ?`,
        BigInt(id),
        plan.from,
        plan.to,
        today,
      );
      spent += inTarget(id, costs?.cost ?? 0n);
    }
    const left = PLAN_SHEET.amount * 100n - spent;
    const daysLeft = BigInt(daysFrom(today, plan.to) + 1);
    return total * daysLeft > left ? [`brings all budgets to ${total}, and ${left} is left for ${daysLeft} days`] : [];
  }

  /** Each limit alone: those of the rule as it is meant, not as the program has written it down. */
  #outsideLimits({ kind, rule, from_micros: from, to_micros: to }: IntentRow, name: string): string[] {
    if (rule === PLAN_SHEET.name) {
      const isWithin = to >= from ? to <= PLAN_SHEET.ceiling : to >= PLAN_SHEET.floor;
      const size = to > from ? to - from : from - to;
      const isStep = kind === 'undo' || !this.#world.plan?.reallocates || size * 100n <= from * STEP_PERCENT;
      return isWithin && isStep ? [] : [`sets ${to} from ${from}, outside the limits of the target`];
    }
    const change = RULE_SHEETS.find((one) => one.name === rule)?.change;
    if (change === undefined) return [`is of ${rule}, which changes nothing`];
    const { percent, floor = 0n, ceiling, step, drift } = change;
    const wrong: string[] = [];
    if (to < floor && (kind === 'undo' || to < from)) wrong.push(`sets ${to}, below the floor ${floor}`);
    if (ceiling !== undefined && to > ceiling && (kind === 'undo' || to > from))
      wrong.push(`sets ${to}, above the ceiling ${ceiling}`);
    if (kind === 'undo') return wrong;
    if (to > from !== percent > 0n) wrong.push(`goes from ${from} to ${to}, and ${rule} changes by ${percent} %`);
    const size = to > from ? to - from : from - to;
    if (step !== undefined && size * 100n > from * step) wrong.push(`changes ${from} by ${size}, more than ${step} %`);
    const isFar = (base: bigint) => (to > base ? to - base : base - to) * 100n > base * (drift ?? 0n);
    if (drift !== undefined && [...driftBases(this.#world, name)].every(isFar))
      wrong.push(`sets ${to}, farther than ${drift} % from where its changes began`);
    return wrong;
  }
}

/** The amounts that drift may be counted from: that of the beginning, and what was set by anybody but a change that is known to be made. */
export function driftBases(world: FaultWorld, name: string): Set<bigint> {
  return new Set([40_000_000n, ...othersAmounts(world, name)]);
}

const timeZoneOf = (name: string) => MARKET.find(({ id }) => name.startsWith(`${id}/`))?.timeZone ?? 'UTC';

/** Nobody could expect the request any more. */
const isLate = (world: FaultWorld, { request }: CarriedChange) => {
  const sent = world.network.all[request - 1];
  return sent?.course.kind === 'arrives_late' || sent?.course.kind === 'twice';
};

/** What requests have really changed, in the order in which they did. */
function ownChanges(world: FaultWorld, name: string): CarriedChange[] {
  return world.ads.carried.filter((one) => one.budget === name && one.from !== one.to && !isLate(world, one));
}

/** What a budget was set to by hand, or by a request that nobody could expect any more. */
export function othersAmounts(world: FaultWorld, name: string): Set<bigint> {
  const late = world.ads.carried.filter((one) => isLate(world, one));
  return new Set([
    ...world.foreign.filter(({ budget }) => budget === name).map(({ to }) => to),
    ...late.filter(({ budget }) => budget === name).map(({ to }) => to),
  ]);
}

interface Operation {
  readonly updateMask: string;
  readonly update: { readonly resourceName: string; readonly amountMicros: string };
}

interface Mutate {
  readonly validateOnly: boolean;
  readonly partialFailure: unknown;
  readonly operations: readonly Operation[];
}

const isMutate = ({ url }: Sent['request']) => url.endsWith('campaignBudgets:mutate');
const readMutate = ({ body = '' }: Sent['request']) => JSON.parse(body) as Mutate;

function readChange({ request }: Pick<Sent, 'request'>): Mutate | undefined {
  const mutate = isMutate(request) ? readMutate(request) : undefined;
  return mutate?.validateOnly ? undefined : mutate;
}
