import { afterAll, beforeAll } from 'vitest';
import { deliverOutbox } from '../../src/alerts/deliver.ts';
import { type Delivery, type DeliveryDeps, openChannels } from '../../src/alerts/delivery-pass.ts';
import { byChannel, type ChannelConnections, type ChannelSettings } from '../../src/channels/channels.ts';
import type { GraphConnection } from '../../src/channels/graph/call-graph.ts';
import type { MessagesConnection } from '../../src/channels/messages/messages-connection.ts';
import type { AlertRecipient, AlertSettings } from '../../src/config/alert-settings.ts';
import type { AlertSeverity } from '../../src/domain/channel.ts';
import { businessAccountId, graphUserId, phoneNumberId } from '../../src/domain/ids.ts';
import type { Fault } from '../../src/sandbox/fault-modes.ts';
import type { SandboxRequest } from '../../src/sandbox/read-request.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { enqueueAlert } from '../../src/storage/records/alerts/alert-table.ts';
import { connectTo as connectToGraph } from '../apis/graph/graph-client.ts';
import { connectToSandbox } from '../apis/messages/messages-client.ts';
import { type FakeClock, type FakePauses, fakeClock, fakePauses } from '../support/fake-time.ts';
import { type AnyStore, freshPlace, removePlace, storeAt } from '../support/state.ts';
import { toldLog } from '../support/told-log.ts';

const NOON = '2026-11-20T12:00:00Z';
const RETRY = { attempts: 2, firstDelayMs: 1000, totalMs: 60_000 };
const RETRIES = byChannel(() => ({ retry: RETRY })) as ChannelSettings;
const MINUTE_MS = 60_000;

export type FaultOf = (request: SandboxRequest) => Fault | undefined;

/** One sandbox and one state file for a file of tests, which each test finds empty. */
export interface Phones {
  readonly sandbox: Sandbox;
  readonly state: AnyStore;
  readonly clock: FakeClock;
  fault: FaultOf | undefined;
  close(): Promise<void>;
}

export async function startPhones({ strict = false } = {}, phones = {} as Phones): Promise<Phones> {
  const clock = fakeClock(NOON);
  const fault: FaultOf = (request) => phones.fault?.(request);
  const sandbox = await startSandbox({ stateFile: ':memory:', clock, seed: 1, strict, fault });
  const place = await freshPlace();
  const state = await storeAt(place);
  const close = async () => {
    await sandbox.close();
    await state.close();
    await removePlace(place);
  };
  return Object.assign(phones, { sandbox, clock, state, close });
}

/** The phones of the tests of a file. */
export function phonesOfFile(begin: (sandbox: Sandbox) => void = () => undefined): Phones {
  const phones = {} as Phones;
  beforeAll(async () => {
    begin((await startPhones({}, phones)).sandbox);
  });
  afterAll(() => phones.close());
  return phones;
}

type Changes = Partial<Omit<DeliveryDeps, 'channels'> & ChannelConnections>;

/** Real tables and real interfaces of one test, and a clock and pauses that are not. */
export interface DeliveryPath {
  readonly state: AnyStore;
  readonly pauses: FakePauses;
  readonly messages: MessagesConnection;
  readonly graph: GraphConnection;
  /** What the product warned of. */
  readonly log: readonly string[];
  /** The service's misbehaviour from now on; undefined for none. */
  fault: FaultOf | undefined;
  enqueue(text: string, severity?: AlertSeverity): Promise<void>;
  /** One delivery; in another process where the state is another connection's. */
  deliver(changes?: Changes): Promise<Delivery[]>;
  wait(minutes: number): void;
  /** What the interfaces took since the test began: `graph` or `messages`, address and text without its reference. */
  sent(): [channel: string, to: string, text: string][];
  rows(sql: string): Record<string, unknown>[];
}

export const ANNA = person('anna', '+4915112345678');

/** Somebody with a number that both channels reach. */
export function person(name: string, number: string, other: Partial<AlertRecipient> = {}): AlertRecipient {
  const addresses = new Map([
    ['messages', `whatsapp:${number}`],
    ['graph', number.slice(1)],
  ]);
  return { name, addresses, timeZone: 'UTC', quietHours: undefined, ...other };
}

/** Who is told by area C alone. */
export function withoutGraph(recipient: AlertRecipient): AlertRecipient {
  return { ...recipient, addresses: new Map([...recipient.addresses].filter(([channel]) => channel === 'messages')) };
}

/** Who is told by area A alone. */
export function onlyGraph(recipient: AlertRecipient): AlertRecipient {
  return { ...recipient, addresses: new Map([...recipient.addresses].filter(([channel]) => channel === 'graph')) };
}

export const alertsTo = (recipients: readonly AlertRecipient[]): AlertSettings => ({
  recipients,
  routes: [],
  approvers: [],
  reports: new Map(),
  timeZone: 'UTC',
  digestAt: undefined,
  cooldownMs: 0,
  repeatMs: 0,
  undeliveredMs: 30 * MINUTE_MS,
});

export async function deliveryPath(
  phones: Phones,
  recipients: readonly AlertRecipient[] = [ANNA],
): Promise<DeliveryPath> {
  const { sandbox, clock, state } = phones;
  phones.fault = undefined;
  clock.set(NOON);
  for (const table of ['alert_tells', 'outbox', 'message', 'alert', 'reply'])
    state.connection.exec(`DELETE FROM ${table}`);
  const pauses = fakePauses();
  const log: string[] = [];
  const before = sandbox.messages().length;
  const { credentials } = sandbox;
  const graph = connectToGraph(sandbox.url, {
    accessToken: credentials.graph.accessToken,
    businessAccountId: businessAccountId(credentials.graph.businessAccountId),
    phoneNumberId: phoneNumberId(credentials.graph.phoneNumberId),
    userId: graphUserId(credentials.graph.userId),
  });
  const messages = connectToSandbox(sandbox);
  const alerts = alertsTo(recipients);
  const deps: Omit<DeliveryDeps, 'channels'> = {
    state,
    clock,
    pauses,
    alerts,
    publicUrl: undefined,
    frozen: async () => undefined,
    log: toldLog({ warn: (line) => void log.push(line) }),
  };
  let events = 0;
  return {
    state,
    pauses,
    log,
    messages,
    graph,
    get fault() {
      return phones.fault;
    },
    set fault(next) {
      phones.fault = next;
    },
    enqueue: (text, severity = 'warning') =>
      enqueueAlert(state.db, { dedupeKey: `event:${events++}`, severity, customerId: undefined, text }, clock.now()),
    deliver: async (changes = {}) => {
      const channels = await openChannels({ messages, graph, ...changes }, RETRIES);
      return deliverOutbox({ ...deps, ...changes, channels });
    },
    wait: (minutes) => clock.set(new Date(clock.now() + minutes * MINUTE_MS).toISOString()),
    sent: () =>
      sandbox
        .messages()
        .slice(before)
        .map(({ to, body }) => [to.includes(':') ? 'messages' : 'graph', to, body.replace(/\nRef pk-\w{8}$/, '')]),
    rows: (sql) => state.connection.prepare(sql).all() as Record<string, unknown>[],
  };
}

/** A fault of the first so many requests to send by area C, or of all. */
export function onSend(fault: Fault, times = Number.POSITIVE_INFINITY): FaultOf {
  let left = times;
  return ({ kind }) => (kind === 'message' && left-- > 0 ? fault : undefined);
}
