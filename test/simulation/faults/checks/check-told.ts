import { channelOf } from '../services/network.ts';
import { MESSAGE_FAULTS_TAKEN_FOR_AN_ANSWER } from '../services/phone-service.ts';
import { readPosted } from '../services/posted-service.ts';
import type { FaultWorld } from '../world.ts';

/** How the second copy of a message begins, where nobody knows of the first. */
export const REPEATED = /^Sent again, because an earlier attempt may not have arrived\.\n\n/;

/** What a message tells, alert by alert: without the freeze that stands first and the reference that stands last. */
export function partsOf(body: string): string[] {
  return body
    .replace(REPEATED, '')
    .replace(/^No budget is changed: .*\n/, '')
    .replace(/\nRef pk-\w+$/, '')
    .split('\n\n');
}

/** An empty list is believed that long after the request: what arrives later than that may be told twice. */
const BELIEVED_AFTER_MS = 60_000;
/** A long line may be cut behind so much of it. */
const KEY_LENGTH = 78;

interface Row {
  readonly id: bigint;
  readonly alert_id: bigint;
  readonly occasion: bigint;
  readonly message_id: bigint | null;
  readonly channel: string;
  readonly recipient: string | null;
  readonly text: string;
  /** The two lines in its place, where there is no room. */
  readonly short: string | null;
  readonly state: string;
  readonly counted: bigint;
  readonly escalated_at: string | null;
}

const keyOf = (text: string) => (text.split('\n', 1)[0] ?? '').slice(0, KEY_LENGTH);

/** A request that has brought a message to a phone, and what it says: the first line of each part. */
interface Brought {
  readonly address: string;
  readonly keys: readonly string[];
  readonly lines: readonly string[];
  /** How many alerts it tells of as a number only. */
  readonly counted: number;
  readonly isLate: boolean;
}

/** Of these there is nothing but the status, so a page in place of an answer is as good as the message. */
const WITHOUT_PROOF = ['slack', 'webhook', 'alertmanager'];

function believedPosts({ network }: FaultWorld) {
  return network.all.flatMap(({ number, request, course, atMs }) => {
    const url = new URL(request.url);
    const channel = channelOf(url);
    if (!WITHOUT_PROOF.includes(channel) || !MESSAGE_FAULTS_TAKEN_FOR_AN_ANSWER.includes(course.kind ?? '')) return [];
    const posted = readPosted(url, request.headers, request.body ?? '', atMs);
    return posted === undefined ? [] : [{ ...posted, channel, request: number, atMs, arrives: true }];
  });
}

/** The second copy of one request is the network's, and counts as one. */
function broughtTo(world: FaultWorld): Brought[] {
  const requests = new Set<number>();
  return [...world.phones.taken, ...believedPosts(world)].flatMap(({ request, channel, to, body, atMs, arrives }) => {
    if (!arrives || requests.has(request)) return [];
    requests.add(request);
    const parts = partsOf(body);
    return {
      address: `${channel} ${to}`,
      keys: parts.map(keyOf),
      lines: body.split('\n').map(keyOf),
      counted: Number(/^\+(\d+) more: /.exec(parts.at(-1) ?? '')?.[1] ?? 0),
      isLate: atMs - (world.network.all[request - 1]?.atMs ?? 0) > BELIEVED_AFTER_MS,
    };
  });
}

/** The rows that say the same to the same address, and how often a phone has it in words. */
interface Telling {
  readonly rows: Row[];
  readonly copies: number;
  readonly late: number;
}

function tellings(world: FaultWorld): Telling[] {
  const rows = world.rows<Row>('SELECT * FROM outbox WHERE recipient IS NOT NULL ORDER BY id');
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${row.channel} ${row.recipient}\n${keyOf(row.text)}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const brought = broughtTo(world);
  return [...groups].map(([key, own]) => {
    const [address, words = ''] = key.split('\n');
    const shorts = own.flatMap(({ short }) => short ?? []).map(keyOf);
    const here = brought.filter((one) => one.address === address);
    const times = ({ keys, lines }: Brought) =>
      keys.filter((said) => said === words).length + lines.filter((said) => shorts.includes(said)).length;
    return {
      rows: own,
      copies: here.reduce((sum, one) => sum + times(one), 0),
      late: here.filter(({ isLate }) => isLate).reduce((sum, one) => sum + times(one), 0),
    };
  });
}

/** Nothing is told oftener than it is to be told, but for copies that came so late that nobody could expect them. */
export function checkDoubled(world: FaultWorld): string[] {
  return tellings(world).flatMap(({ rows, copies, late }) => {
    const [row] = rows;
    // The others are checked by their messages.
    if (row === undefined || !['messages', 'graph'].includes(row.channel) || copies <= rows.length + late) return [];
    return [`${row.recipient} was told ${copies} times what is to be told ${rows.length} times: ${keyOf(row.text)}`];
  });
}

/**
 * What must hold once nothing goes wrong any more: each occasion of each alert has reached each of its people by one way or the
 * other, or was taken back, or was named loudly as lost.
 */
export function checkTold(world: FaultWorld): string[] {
  const rows = world.rows<Row>('SELECT * FROM outbox ORDER BY id');
  const open = rows.filter(({ state }) => state === 'pending' || state === 'sending');
  const unclear = rows.filter((row) => row.state === 'unknown' && !isToldLoudly(row));
  const nobodys = rows.filter(({ recipient, state }) => recipient === null && state !== 'withdrawn');
  return [
    ...open.map(({ id, state }) => `row ${id} of the outbox is still ${state}`),
    ...unclear.map(({ id }) => `whether row ${id} of the outbox was told is not known`),
    ...nobodys.map(({ id }) => `row ${id} has no recipient`),
    ...believed(world, rows),
    ...countedOnly(world, rows),
    ...lost(world, rows),
  ];
}

/** An interface without a list cannot be asked. */
const isToldLoudly = ({ state, escalated_at }: Row) => state === 'unknown' && escalated_at !== null;
const isSaid = ({ state }: Row) => state === 'accepted' || state === 'delivered';

/** What counts as told in words is on the phone. */
function believed(world: FaultWorld, all: readonly Row[]): string[] {
  return tellings(world).flatMap(({ rows, copies }) => {
    const said = rows.filter((row) => isSaid(row) && row.counted === 0n && !isOldNews(row, all));
    const [row] = said;
    const pages = row === undefined ? 0 : pagesFor(world, row.channel);
    if (row === undefined || said.length <= copies + pages || isToldElsewhere(world, said)) return [];
    return [`${said.length} rows count as told, and ${row.recipient} got ${copies} of them: ${keyOf(row.text)}`];
  });
}

/** Programs that know each alert by its key. */
export const KEYED = ['alertmanager', 'pagerduty'];

/** A program is told the last news of an alert only. */
const isOldNews = (row: Row, rows: readonly Row[]) =>
  KEYED.includes(row.channel) &&
  rows.some(({ id, alert_id, message_id }) => {
    return id > row.id && alert_id === row.alert_id && message_id === row.message_id;
  });

/** Of area A there is nothing but the status: what a page answered in its place is told by nobody. */
const pagesFor = ({ network }: FaultWorld, channel: string) =>
  network.all.filter(
    ({ request, course }) =>
      channel === 'graph' &&
      request.url.includes('graph.example') &&
      MESSAGE_FAULTS_TAKEN_FOR_AN_ANSWER.includes(course.kind ?? ''),
  ).length;

/** A success that was no answer, or without a report, is passed on: it has been told by the other way then, or loudly. */
function isToldElsewhere(world: FaultWorld, rows: readonly Row[]): boolean {
  return rows.every(({ alert_id, occasion, channel, escalated_at }) => {
    if (escalated_at === null) return false;
    const others = world.rows<Row>('SELECT * FROM outbox WHERE alert_id = ? AND occasion = ?', alert_id, occasion);
    return others.some((other) => other.channel !== channel && (isSaid(other) || isToldLoudly(other)));
  });
}

/** What counts as told by a number is in the numbers. */
function countedOnly(world: FaultWorld, rows: readonly Row[]): string[] {
  const brought = broughtTo(world);
  const addresses = new Set(rows.map(({ channel, recipient }) => `${channel} ${recipient}`));
  return [...addresses].flatMap((address) => {
    const counted = rows.filter(
      (row) => row.counted === 1n && isSaid(row) && `${row.channel} ${row.recipient}` === address,
    );
    const said = brought.filter((one) => one.address === address).reduce((sum, one) => sum + one.counted, 0);
    const pages = pagesFor(world, address.split(' ', 1)[0] ?? '') > 0;
    return counted.length <= said || pages
      ? []
      : [`${address} was told of ${said} more, and ${counted.length} count so`];
  });
}

/** Of whom no row says that it was told, or taken back: that is to be said loudly, as many times. */
function lost(world: FaultWorld, rows: readonly Row[]): string[] {
  return world.people.flatMap(({ name, addresses }) => {
    const own = rows.filter(({ recipient }) => recipient !== null && addresses.includes(recipient));
    const groups = new Map<string, Row[]>();
    for (const row of own) {
      const key = `${row.alert_id} ${row.occasion}`;
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    // The last way decides: what was passed on and then taken back was of no use any more.
    const untold = [...groups.values()].filter((ways) => !ways.some(isSaid) && ways.at(-1)?.state !== 'withdrawn');
    // Addresses are masked: their last digits stay.
    const ends = addresses.map((address) => address.slice(-2));
    const named = world.warnings.reduce((sum, line) => {
      const [, to = '', rest = ''] = /^ALERT NOT DELIVERED to (\S+),(.*)/s.exec(line) ?? [];
      if (to === '' || !ends.some((end) => to.endsWith(end))) return sum;
      return sum + 1 + Number(/\(and (\d+) more\)/.exec(rest)?.[1] ?? 0);
    }, 0);
    const first = untold[0]?.[0];
    if (first === undefined || untold.length <= named) return [];
    return [`${name} was not told of ${untold.length} alerts, and ${named} are named as lost: ${keyOf(first.text)}`];
  });
}
