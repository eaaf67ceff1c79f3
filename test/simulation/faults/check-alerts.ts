import type { FaultWorld } from './world.ts';

/** Ends of a change that people are told of, and which of them are one to them. */
const TOLD_ENDS: Readonly<Record<string, string>> = {
  ...{ applied: 'done', confirmed: 'done', rejected: 'rejected', unknown: 'unknown', superseded: 'superseded' },
};

interface AlertRow {
  readonly id: bigint;
  readonly kind: string;
  readonly text: string;
  readonly occasions: bigint;
}

/** Each end of a change and each proposal has its alert, once, and each occasion of an alert goes to everybody. */
export function checkAlerts(world: FaultWorld): string[] {
  const alerts = world.rows<AlertRow>('SELECT id, kind, text, occasions FROM alert ORDER BY id');
  const named = new Map<string, number>();
  for (const { kind, text } of alerts) {
    if (kind !== 'event') continue;
    const last = text.split('\n').at(-1) ?? '';
    const name = /\bB\d+\b/.exec(last)?.[0] ?? /approve (\w{4})\b/.exec(last)?.[1];
    if (name !== undefined) named.set(name, (named.get(name) ?? 0) + 1);
  }
  const wrong: string[] = [];
  const expect = (name: string, times: number, about: string) => {
    const found = named.get(name) ?? 0;
    if (found !== times) wrong.push(`${name} has ${found} alerts, and ${times} of it are to be told: ${about}`);
  };
  for (const [id, ends] of endsOf(world)) expect(`B${id}`, ends.size, [...ends].join(', '));
  for (const { code } of world.rows<{ code: string }>('SELECT code FROM budget_proposal'))
    expect(code, 1, 'a proposal');
  return [...wrong, ...withoutRows(world, alerts)];
}

/** That a process ended before the answer was written down is told with what the reading tells. */
function endsOf(world: FaultWorld): Map<bigint, Set<string>> {
  const events = world.rows<{ intent: bigint; kind: string; by_person: bigint }>(
    `SELECT e.intent_id AS intent, e.kind, i.kind = 'undo' OR i.actor LIKE 'approved by %' AS by_person
      FROM budget_event AS e JOIN budget_intent AS i ON i.id = e.intent_id
      WHERE e.kind <> 'unknown' OR e.detail ->> 'code' IS NOT 'NO_ANSWER'`,
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

/** Nobody has routes here: what is told is told to everybody, whoever has withdrawn it since. */
function withoutRows(world: FaultWorld, alerts: readonly AlertRow[]): string[] {
  const rows = world.rows<{ alert_id: bigint; occasion: bigint; recipient: string | null; reason: string }>(
    'SELECT alert_id, occasion, recipient, reason FROM outbox',
  );
  const { people } = world.product;
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
