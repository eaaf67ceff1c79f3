import fc from 'fast-check';
import { deliverOutbox } from '../../../src/alerts/deliver.ts';
import {
  DELIVERY_POINTS,
  type Delivery,
  type DeliveryDeps,
  type DeliveryPoint,
  openChannels,
} from '../../../src/alerts/delivery-pass.ts';
import { byChannel, type ChannelConnections, type ChannelSettings } from '../../../src/channels/channels.ts';
import type { AlertRecipient } from '../../../src/config/alert-settings.ts';
import type { AlertSeverity } from '../../../src/domain/channel.ts';
import { phoneNumberId } from '../../../src/domain/ids.ts';
import type { PhoneChannel } from '../../../src/sandbox/phones.ts';
import { createRedact } from '../../../src/services/http/redact.ts';
import { enqueueAlert } from '../../../src/storage/records/alerts/alert-table.ts';
import { recordStatus } from '../../../src/storage/records/alerts/message-outcome.ts';
import { type FakeClock, fakeClock, fakePauses } from '../../support/fake-time.ts';
import type { AnyStore } from '../../support/state.ts';
import { toldLog } from '../../support/told-log.ts';
import {
  AlertProvider,
  ASK_FAULTS,
  type AskFault,
  proceed,
  referenceIn,
  SEND_FAULTS,
  type SendFault,
} from './alert-provider.ts';

/** Where one process ends, and the how manieth time it passes there. */
interface AlertCrash {
  readonly point: DeliveryPoint;
  readonly nth: number;
}

/** Something that happens to alerts. */
export type AlertStep =
  /** An event; `again` enqueues it a second time. */
  | { readonly kind: 'event'; readonly severity: AlertSeverity; readonly again: boolean }
  /** One delivery, or two processes at once; each may end somewhere. */
  | {
      readonly kind: 'deliver';
      readonly crashes: readonly (AlertCrash | undefined)[];
      readonly sendFaults: readonly SendFault[];
      readonly askFaults: readonly AskFault[];
    }
  | { readonly kind: 'wait'; readonly minutes: number }
  /** What was late is processed. */
  | { readonly kind: 'catch_up' }
  /** The provider says something of a message, or says again what it has said. */
  | { readonly kind: 'report'; readonly pick: number; readonly word: 'sent' | 'end' | 'again' };

/** Those that are passed rarely stand there more than once. */
const POINTS: readonly DeliveryPoint[] = [
  ...DELIVERY_POINTS,
  'escalate:before-commit',
  'escalate:after-commit',
  'escalate:after-commit',
  'looked-up:before-commit',
];

const crash: fc.Arbitrary<AlertCrash | undefined> = fc.option(
  fc.record({ point: fc.constantFrom(...POINTS), nth: fc.constantFrom(1, 1, 2, 3) }),
  { nil: undefined, freq: 2 },
);

const step: fc.Arbitrary<AlertStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('event' as const),
      severity: fc.constantFrom('info' as const, 'warning' as const, 'critical' as const),
      again: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('deliver' as const),
      crashes: fc.array(crash, { minLength: 1, maxLength: 2 }),
      sendFaults: fc.array(fc.constantFrom(...SEND_FAULTS), { maxLength: 6 }),
      askFaults: fc.array(fc.constantFrom(...ASK_FAULTS), { maxLength: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), minutes: fc.constantFrom(1, 6, 31, 400) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('catch_up' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      pick: fc.nat(50),
      word: fc.constantFrom('sent' as const, 'end' as const, 'again' as const),
    }),
  },
);

export const alertHistory = (stepsMax: number): fc.Arbitrary<readonly AlertStep[]> =>
  fc.array(step, { minLength: 3, maxLength: stepsMax });

/** The process ended here, as far as the test is concerned. */
class Crash extends Error {}

const START = '2026-11-20T12:00:00Z';
const RETRY = { attempts: 2, firstDelayMs: 1000, totalMs: 60_000 };
const RETRIES = byChannel(() => ({ retry: RETRY })) as ChannelSettings;

const recipient = (name: string, addresses: Partial<Record<PhoneChannel, string>>, quiet = false): AlertRecipient => ({
  name,
  addresses: new Map(Object.entries(addresses) as [PhoneChannel, string][]),
  timeZone: 'UTC',
  quietHours: quiet ? { from: '20:00', to: '07:00' } : undefined,
});

export const RECIPIENTS = [
  recipient('both', { messages: 'whatsapp:+4915112345678', graph: '4915112345678' }, true),
  recipient('one', { messages: 'whatsapp:+15550100002' }),
  recipient('graph', { graph: '4915112345670' }),
];

/** One history of alerts: a state file that is emptied, both providers, and who watches them. */
export class AlertWorld {
  readonly clock: FakeClock = fakeClock(START);
  readonly provider = new AlertProvider(this.clock);
  readonly log: string[] = [];
  /** The texts of the events so far. */
  readonly events: string[] = [];
  readonly crashed = new Set<string>();
  readonly states = new Set<string>();
  readonly #state: AnyStore;
  #known = new Map<bigint, { readonly state: string; readonly status: string | null }>();

  constructor(state: AnyStore) {
    this.#state = state;
    for (const table of ['outbox', 'message', 'alert']) state.connection.exec(`DELETE FROM ${table}`);
  }

  async take(step: AlertStep): Promise<void> {
    switch (step.kind) {
      case 'event': {
        const text = `Alert ${this.events.length + 1}.`;
        this.events.push(text);
        const alert = { dedupeKey: text, severity: step.severity, customerId: undefined, text };
        for (let nth = step.again ? 0 : 1; nth < 2; nth++) {
          await enqueueAlert(this.#state.db, alert, this.clock.now());
        }
        break;
      }
      case 'deliver': {
        this.provider.sendFaults = [...step.sendFaults];
        this.provider.askFaults = [...step.askFaults];
        await Promise.all(step.crashes.map((crash) => this.deliver(crash)));
        break;
      }
      case 'wait':
        this.wait(step.minutes);
        break;
      case 'catch_up':
        this.provider.catchUp();
        break;
      case 'report': {
        const message = this.provider.taken[step.pick % Math.max(1, this.provider.taken.length)];
        if (!message) break;
        if (step.word === 'sent') proceed(message, 'sent');
        if (step.word === 'end') proceed(message, message.arrives ? 'delivered' : 'undelivered');
        const word = message.words[step.pick % Math.max(1, message.words.length)];
        if (word !== undefined) await this.report(message, word);
      }
    }
    this.watch();
  }

  wait(minutes: number): void {
    this.clock.set(new Date(this.clock.now() + minutes * 60_000).toISOString());
  }

  /** One process that delivers; undefined when it ended on the way. What it loses it must say. */
  async deliver(crash?: AlertCrash): Promise<readonly Delivery[] | undefined> {
    let left = crash?.nth ?? 0;
    const { provider, clock } = this;
    const said: string[] = [];
    const redact = createRedact([]);
    const pauses = fakePauses();
    const http = { http: provider, redact };
    const connections: Partial<ChannelConnections> = {
      messages: {
        ...http,
        url: 'https://provider.example',
        accountId: 'AC1',
        username: 'AC1',
        password: 'p',
        from: 'whatsapp:+15550100001',
        media: 'refuse',
      },
      graph: {
        ...http,
        url: 'https://graph.example',
        version: 'v23.0',
        accessToken: 't',
        tokenIn: 'header',
        pauses,
        businessAccountId: undefined,
        phoneNumberId: phoneNumberId('106540352242922'),
        userId: undefined,
        appSecret: undefined,
        retry: RETRY,
      },
    };
    const deps: DeliveryDeps = {
      state: this.#state,
      clock,
      pauses,
      publicUrl: undefined,
      frozen: async () => undefined,
      channels: await openChannels(connections, RETRIES),
      alerts: {
        recipients: RECIPIENTS,
        routes: [],
        approvers: [],
        timeZone: 'UTC',
        digestAt: undefined,
        cooldownMs: 0,
        repeatMs: 0,
        undeliveredMs: 30 * 60_000,
      },
      log: toldLog({ warn: (line) => void [said, this.log].map((log) => log.push(line)) }),
      deliveryPasses: (point) => {
        if (point !== crash?.point || --left !== 0) return;
        this.crashed.add(point);
        throw new Crash(point);
      },
    };
    try {
      const deliveries = await deliverOutbox(deps);
      const failed = deliveries.some(({ state }) => state !== 'accepted');
      if (said.length > 0 && !failed) throw new Error(`lost and no failure: ${said.at(-1)}`);
      return deliveries;
    } catch (error) {
      if (error instanceof Crash) return undefined;
      throw error;
    }
  }

  async report(message: AlertProvider['taken'][number], status: string): Promise<void> {
    const { channel, id: providerId, body } = message;
    const reference = channel === 'graph' ? `pk-${referenceIn(body)}` : undefined;
    const errorCode = status === 'undelivered' ? '63016' : undefined;
    await recordStatus(this.#state.db, { channel, providerId, reference, status, errorCode }, this.clock.now());
  }

  rows<Row>(sql: string): Row[] {
    return this.#state.connection.prepare(sql).all() as Row[];
  }

  /** What must never be seen, whatever happens next. */
  watch(): void {
    const messages = this.rows<{ id: bigint; state: string; status: string | null; reference: string }>(
      'SELECT id, state, status, reference FROM message',
    );
    for (const { id, state, status } of messages) {
      this.states.add(state);
      const before = this.#known.get(id);
      if (before && !mayFollow(before.state, state))
        throw new Error(`message ${id} went from ${before.state} to ${state}`);
      if (before && before.status !== status && wordsOf(status) <= wordsOf(before.status)) {
        throw new Error(`the word on message ${id} went from ${before.status} back to ${status}`);
      }
    }
    this.#known = new Map(messages.map((one) => [one.id, one]));
    const apart = this.rows('SELECT o.id FROM outbox o JOIN message m ON m.id = o.message_id WHERE o.state <> m.state');
    if (apart.length > 0) throw new Error('a row is in another state than its message');
    for (const text of this.events) {
      for (const { addresses } of RECIPIENTS) {
        for (const [channel, to] of addresses) this.#atMostOnce(text, channel, to);
      }
    }
  }

  /** A provider is given an alert again only where it has misled us, or after it said that all before were not delivered. */
  #atMostOnce(text: string, channel: string, to: string): void {
    const { taken, misleading } = this.provider;
    const told = taken.filter((one) => one.channel === channel && one.to === to && one.body.includes(text));
    const isAgain = told.slice(0, -1).every(({ status }) => status === 'undelivered');
    if (isAgain || told.some(({ body }) => misleading.has(referenceIn(body)))) return;
    throw new Error(`${text} went to ${to} ${told.length} times by ${channel}`);
  }
}

const LATER: Readonly<Record<string, readonly string[]>> = {
  accepted: ['delivered', 'failed'],
  failed: ['delivered'],
  delivered: [],
};

function mayFollow(before: string, now: string): boolean {
  return before === now || LATER[before] === undefined || LATER[before].includes(now);
}

function wordsOf(status: string | null): number {
  return [null, 'queued', 'sent', 'undelivered', 'delivered'].indexOf(status);
}
