import { channelOf } from '../services/network.ts';
import type { TakenMessage } from '../services/phone-service.ts';
import { readPosted } from '../services/posted-service.ts';
import type { FaultWorld } from '../world.ts';
import { checkDoubled, KEYED, partsOf, REPEATED } from './check-told.ts';

/** Ends of a change that people are told of, and which of them are one to them. */
const TOLD_ENDS: Readonly<Record<string, string>> = {
  applied: 'done',
  confirmed: 'done',
  rejected: 'rejected',
  unknown: 'unknown',
  superseded: 'superseded',
};

interface AlertRow {
  readonly id: bigint;
  readonly kind: string;
  readonly text: string;
  readonly occasions: bigint;
}

/** Each end of a change and each proposal has its alert, once, and each occasion of an alert goes to everybody. */
function checkAlerts(world: FaultWorld): string[] {
  const alerts = world.rows<AlertRow>('SELECT id, kind, text, occasions FROM alert ORDER BY id');
  const named = new Map<string, number>();
  for (const { kind, text } of alerts) {
    if (kind !== 'event') continue;
    const last = text.split('\n').at(-1) ?? '';
    const name = /\bB\d+\b/.exec(last)?.[0] ?? /approve (\w{4})\b/.exec(last)?.[1];
    if (name !== undefined) named.set(name, (named.get(name) ?? 0) + 1);
  }
  const wrong: string[] = [];
  const expect = (name: string, times: number, about: string, passed = 0) => {
    const found = named.get(name) ?? 0;
    if (found > times || found < times - passed)
      wrong.push(`${name} has ${found} alerts, and ${times} of it are to be told: ${about}`);
  };
  const passed = passedOver(world);
  for (const [id, ends] of endsOf(world)) expect(`B${id}`, ends.size, [...ends].join(', '), passed.get(id));
  for (const { code } of world.rows<{ code: string }>('SELECT code FROM budget_proposal'))
    expect(code, 1, 'a proposal');
  return [...wrong, ...withoutRows(world, alerts)];
}

/** That a process ended before the answer was written down is told with what the reading tells. */
function endsOf(world: FaultWorld): Map<bigint, Set<string>> {
  const events = world.rows<{ intent: bigint; kind: string; by_person: bigint }>(
    `SELECT e.intent_id AS intent, e.kind, i.kind = 'undo' OR i.actor LIKE 'approved by %' AS by_person
      FROM budget_event AS e JOIN budget_intent AS i ON i.id = e.intent_id
      WHERE e.kind <> 'unknown' OR e.detail ->> 'code' IS DISTINCT FROM 'NO_ANSWER'`,
  );
  const byIntent = new Map<bigint, Set<string>>();
  for (const { intent, kind, by_person } of events) {
    const ends = byIntent.get(intent) ?? new Set();
    // A rule decides anew; a person waits for what was asked for.
    const end = kind === 'expired' && by_person === 1n ? 'expired' : TOLD_ENDS[kind];
    if (end !== undefined) ends.add(end);
    byIntent.set(intent, ends);
  }
  return byIntent;
}

/** Ends that the next event takes back in the same second: nobody has to be told of both. */
function passedOver(world: FaultWorld): Map<bigint, number> {
  const rows = world.rows<{ intent: bigint }>(
    `SELECT e.intent_id AS intent FROM budget_event AS e JOIN budget_event AS next ON next.id = e.id + 1
      WHERE next.intent_id = e.intent_id AND next.created_at = e.created_at AND next.kind = 'confirmed'
        AND e.kind IN ('unknown', 'rejected') AND e.detail ->> 'code' IS DISTINCT FROM 'NO_ANSWER'`,
  );
  return new Map(rows.map(({ intent }) => [intent, 1]));
}

/** Nobody has routes here: what is told is told to everybody, whoever has withdrawn it since. */
function withoutRows(world: FaultWorld, alerts: readonly AlertRow[]): string[] {
  const rows = world.rows<{ alert_id: bigint; occasion: bigint; recipient: string | null; reason: string }>(
    'SELECT alert_id, occasion, recipient, reason FROM outbox',
  );
  const { people } = world;
  return alerts.flatMap(({ id, kind, text, occasions }) => {
    if (kind !== 'event' && kind !== 'condition') return [];
    const own = rows.filter(({ alert_id }) => alert_id === id);
    const extra = own.filter(({ occasion }) => occasion > occasions || (kind === 'event' && occasion > 1n));
    if (extra.length > 0) return [`alert ${id} is told again: ${text}`];
    return Array.from({ length: Number(occasions) }, (_, index) => BigInt(index + 1)).flatMap((occasion) => {
      const here = own.filter((row) => row.occasion === occasion);
      if (here.some(({ recipient }) => recipient === null)) return [];
      // That it is over is for those who know that it began.
      if (here.length > 0 && here.every(({ reason }) => reason === 'resolved')) return [];
      const missing = people.filter(
        ({ addresses }) => !here.some(({ recipient }) => recipient !== null && addresses.includes(recipient)),
      );
      return missing.map(({ name }) => `nobody is to tell ${name} of alert ${id}, time ${occasion}: ${text}`);
    });
  });
}

/** Whoever asks for quiet, and from which hour to which, on the clock of Berlin. */
const QUIET = { name: 'anna', from: 22, to: 7, timeZone: 'Europe/Berlin' };
/** A message that was on its way before is tried again for a while. */
const TRIED_FOR_MS = 10 * 60_000;

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeZone: QUIET.timeZone, hour: '2-digit', hourCycle: 'h23' });
const isQuiet = (instantMs: number) => {
  const hour = Number(CLOCK.format(instantMs));
  return hour >= QUIET.from || hour < QUIET.to;
};

/** In somebody's quiet hours nothing comes but what is critical. */
function checkQuiet(world: FaultWorld): string[] {
  const addresses = world.people.find(({ name }) => name === QUIET.name)?.addresses ?? [];
  return world.phones.taken.flatMap(({ to, body, request }) => {
    const leftAtMs = world.network.all[request - 1]?.atMs ?? 0;
    if (!addresses.includes(to) || !isQuiet(leftAtMs) || !isQuiet(leftAtMs - TRIED_FOR_MS)) return [];
    const parts = partsOf(body);
    // One rule alone is critical, and says so in each of its lines.
    const others = parts.filter(
      (part) => !/ is busy: \d+/.test(part.split('\n', 1)[0] ?? '') && !/^\+\d+ more: /.test(part),
    );
    return others.map(
      (part) => `${QUIET.name} was told at ${new Date(leftAtMs).toISOString()}, in quiet hours: ${part}`,
    );
  });
}

/** What must never be on a phone. */
export function checkPhones(world: FaultWorld): string[] {
  return [
    ...checkDoubled(world),
    ...checkRepeated(world),
    ...checkKeys(world),
    ...strangers(world),
    ...checkQuiet(world),
    ...checkAlerts(world),
    ...withSecrets(world, world.phones.taken),
    ...criticalLate(world, world.phones.taken),
  ];
}

/** Refusals that the program believes, whoever wrote them and whatever was taken. */
const LIES_OF_POSTS = ['html_404_after', 'bare_after'];
const LIES = {
  email: ['status_500_after', 'status_503_after'],
  slack: LIES_OF_POSTS,
  google_chat: LIES_OF_POSTS,
  webhook: LIES_OF_POSTS,
};

/** Nobody can ask these what they have. A message in doubt is there twice at most, and the second one says so. */
function checkRepeated({ phones, network }: FaultWorld): string[] {
  const taken = new Map(phones.taken.map((one) => [one.request, one]));
  const believed = [...taken.values()].filter(({ channel, request }) => {
    const lies = LIES[channel as keyof typeof LIES];
    return lies !== undefined && !lies.includes(network.all[request - 1]?.course.kind ?? '');
  });
  const wordOf = (body: string) => /\bRef (pk-\w+)$/.exec(body)?.[1];
  const messages = Map.groupBy(believed, ({ channel, to, body }) => `${channel} ${to} ${wordOf(body)}`);
  const others = believed.filter(({ reference, body }) => reference !== undefined && reference !== wordOf(body));
  return [
    ...others.map(({ channel, reference, body }) => `a message on ${channel} is known by ${reference}: ${body}`),
    ...[...messages].flatMap(([message, copies]) => {
      const repeated = copies.filter(({ body }) => REPEATED.test(body)).length;
      if (repeated <= 1 && copies.length - repeated <= 1) return [];
      return [`of ${message} there are ${copies.length} copies, and ${repeated} say so`];
    }),
  ];
}

/** A program is told of an end by the key of the beginning, and after it. Whoever has a phone may have heard of that there. */
function checkKeys(world: FaultWorld): string[] {
  const { network, people } = world;
  const alerts = world.rows<{ dedupe_key: string; severity: string }>('SELECT dedupe_key, severity FROM alert');
  const severities = new Map(alerts.map(({ dedupe_key, severity }) => [dedupe_key, severity]));
  const begun = new Set<string>();
  return network.all.flatMap(({ request, atMs }) => {
    const url = new URL(request.url);
    if (!KEYED.includes(channelOf(url))) return [];
    const { to = '', news = [] } = readPosted(url, request.headers, request.body ?? '', atMs) ?? {};
    const isAlone = people.some(({ addresses }) => addresses.length === 1 && addresses.includes(to));
    return news.flatMap(({ key, isOver }) => {
      if (!isOver) begun.add(`${to} ${key}`);
      if (!severities.has(key)) return [`${to} is told of ${key}, and no alert has this key`];
      // Of what is no more than information, no incident begins.
      if (!isOver || !isAlone || severities.get(key) === 'info' || begun.has(`${to} ${key}`)) return [];
      return [`${to} is told of the end of ${key}, and not of its beginning`];
    });
  });
}

/** Nobody else is told of anything. */
function strangers({ phones, people }: FaultWorld): string[] {
  return phones.taken
    .filter(({ to }) => !people.some(({ addresses }) => addresses.includes(to)))
    .map(({ channel, to }) => `${to} is told on ${channel}, and is nobody's address`);
}

function withSecrets({ product }: FaultWorld, taken: readonly TakenMessage[]): string[] {
  return taken
    .filter(({ source }) => product.secrets.some((secret) => source.includes(secret)))
    .map(({ to }) => `a message to ${to} holds a secret`);
}

/** In a message, what is critical and not over comes before everything else. */
function criticalLate(world: FaultWorld, taken: readonly TakenMessage[]): string[] {
  const rows = world.rows<Row>('SELECT channel, recipient, text, severity, reason FROM outbox');
  return taken.flatMap(({ channel, to, body }) => {
    const lines = body.split('\n');
    const own = rows
      .filter((row) => row.channel === channel && row.recipient === to)
      .map(({ text, severity, reason }) => ({
        at: lines.indexOf(text.split('\n', 1)[0] ?? ''),
        critical: severity === 'critical' && reason !== 'resolved',
      }))
      .filter(({ at }) => at >= 0);
    const last = Math.max(...own.filter(({ critical }) => critical).map(({ at }) => at));
    const first = Math.min(...own.filter(({ critical }) => !critical).map(({ at }) => at));
    return last > first ? [`a message to ${to} tells something else before what is critical: ${body}`] : [];
  });
}

interface Row {
  readonly channel: string;
  readonly recipient: string | null;
  readonly text: string;
  readonly severity: string;
  readonly reason: string;
}
