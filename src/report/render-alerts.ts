import { firstLineOf } from '../domain/first-line.ts';
import { grouped } from '../domain/grouped.ts';
import type { Account } from '../store/account-table.ts';
import type { AlertRecord } from '../store/alert-table.ts';
import type { ListedRow } from '../store/outbox-list.ts';
import type { Silence } from '../store/silence-table.ts';
import { namesOf, section } from './sections.ts';
import { MESSAGE_WORDS } from './state-words.ts';
import { count, type NameOf, oneLine, type TextLayout, withId } from './text-layout.ts';
import { toJson } from './to-json.ts';
import { wrapText } from './wrap-text.ts';

/** A row of the outbox; its recipient is masked. */
export interface ShownRow extends ListedRow {
  /** Why it waits, was withdrawn, or did not arrive. */
  readonly why: string | undefined;
}

export interface ListedAlerts {
  readonly accounts: readonly Account[];
  /** Conditions that are true now, as far as the last run knows. */
  readonly firing: readonly AlertRecord[];
  readonly waiting: readonly ShownRow[];
  /** Of what the messages of the last day said only how many there are. */
  readonly counted: readonly ShownRow[];
  /** What nobody knows to have arrived by any channel: of each alert and person the last try. */
  readonly lost: readonly ShownRow[];
  /** What was told or withdrawn; empty unless asked for. */
  readonly past: readonly ShownRow[];
  readonly silences: readonly Silence[];
  /** Instant, UTC. */
  readonly now: string;
}

export function renderAlerts(alerts: ListedAlerts, layout: TextLayout): string {
  const { accounts, firing, waiting, counted, lost, past, silences, now } = alerts;
  const nameOf = namesOf(accounts);
  const rows = (list: readonly ShownRow[]) => list.map((row) => rowBlock(row, nameOf, layout)).join('\n');
  const blocks = [
    section('Firing', firing.map((one) => firingBlock(one, nameOf, layout)).join('\n'), layout),
    section('Waiting to be told', rows(waiting), layout),
    section('Told as a number only', rows(counted), layout),
    section('Not known to have arrived', lostBlocks(lost, nameOf, layout), layout),
    section('Told or withdrawn', rows(past), layout),
    section('Silences', silences.map((one) => silenceBlock(one, now, nameOf, layout)).join('\n'), layout),
    firing.length + waiting.length + lost.length === 0 ? 'Nothing fires, and nothing waits to be told.' : '',
  ];
  return `${blocks.filter((text) => text !== '').join('\n\n')}\n`;
}

function firingBlock(alert: AlertRecord, nameOf: NameOf, layout: TextLayout): string {
  const { severity, text, firedAt, notified } = alert;
  // A change that tells it is written down a moment before the condition is.
  const at = notified?.as === 'first' && notified.at < firedAt ? firedAt : notified?.at;
  const told = notified === undefined ? 'told to nobody' : `told ${at} (${notified.as})`;
  return block(
    `${severity.toUpperCase()} ${oneLine(firstLineOf(text))}`,
    [[...about(alert, nameOf), `since ${firedAt}`, told]],
    layout,
  );
}

function rowBlock(row: ShownRow, nameOf: NameOf, layout: TextLayout, others = 0): string {
  const { state, severity, text, recipient, counted, why } = row;
  const isTold = state === 'accepted' || state === 'delivered';
  const more = others === 0 ? '' : ` and ${count(others, 'more alert')}`;
  const head = `${counted && isTold ? 'COUNTED' : MESSAGE_WORDS[state][0].toUpperCase()} ${severity} ${oneLine(firstLineOf(text))}${more}`;
  const whom = recipient === undefined ? 'not addressed yet' : `to ${recipient}`;
  return block(head, [[whom, ...about(row, nameOf), atOf(row)], ...(why === undefined ? [] : [[why]])], layout);
}

/** When it was told, whatever became known of it later; otherwise when it came to what it is. */
function atOf({ state, acceptedAt, updatedAt }: ShownRow): string {
  const told = acceptedAt !== undefined && (state === 'accepted' || state === 'delivered');
  return told ? `taken ${acceptedAt}` : updatedAt;
}

/** A block for each message, however many alerts it would have told. */
function lostBlocks(lost: readonly ShownRow[], nameOf: NameOf, layout: TextLayout): string {
  return grouped(lost, ({ id, messageId }) => (messageId === undefined ? `row ${id}` : `message ${messageId}`))
    .flatMap(([first, ...others]) => (first === undefined ? [] : [rowBlock(first, nameOf, layout, others.length)]))
    .join('\n');
}

function silenceBlock(silence: Silence, now: string, nameOf: NameOf, layout: TextLayout): string {
  const { id, expiresAt, createdBy, createdAt, why, endedBy, endedAt } = silence;
  const ended = endedAt === undefined ? '' : `ended ${endedAt} by ${endedBy}`;
  const over = expiresAt <= now ? `expired ${expiresAt}` : `until ${expiresAt}`;
  return block(`S${id} ${ended || over}, ${scopeOf(silence, nameOf)}`, [[`${createdBy}, ${createdAt}`, why]], layout);
}

/** "rule trim, severity info"; "everything". */
export function scopeOf(
  { customerId, rule, severity }: Pick<Silence, 'customerId' | 'rule' | 'severity'>,
  nameOf: NameOf,
): string {
  const parts = [
    ...(customerId === undefined ? [] : [`account ${withId(customerId, nameOf)}`]),
    ...(rule === undefined ? [] : [`rule ${rule}`]),
    ...(severity === undefined ? [] : [`severity ${severity}`]),
  ];
  return parts.length === 0 ? 'everything' : parts.join(', ');
}

function about({ customerId, rule }: Pick<ListedRow, 'customerId' | 'rule'>, nameOf: NameOf): string[] {
  return [
    ...(customerId === undefined ? [] : [withId(customerId, nameOf)]),
    ...(rule === undefined ? [] : [`rule ${rule}`]),
  ];
}

function block(head: string, lines: readonly (readonly string[])[], { width, bold }: TextLayout): string {
  return [
    bold(wrapText(oneLine(head), width, '  ', '    ')),
    ...lines.map((parts) => wrapText(oneLine(parts.join(', ')), width, '    ', '    ')),
  ].join('\n');
}

export function renderAlertsJson({ firing, waiting, counted, lost, past, silences }: ListedAlerts): string {
  return toJson({
    firing: firing.map(firingObject),
    waiting: waiting.map(rowObject),
    counted: counted.map(rowObject),
    lost: lost.map(rowObject),
    past: past.map(rowObject),
    silences: silences.map(silenceObject),
  });
}

/** All parts one after the other, each row with the part's name; of what fires `created_at` is since when. */
export function alertRows({ firing, waiting, counted, lost, past, silences }: ListedAlerts): object[] {
  const part = (row: string, objects: readonly object[]) => objects.map((object) => ({ row, ...object }));
  return [
    ...part(
      'firing',
      firing.map((alert) => ({ ...firingObject(alert), created_at: alert.firedAt })),
    ),
    ...part('waiting', waiting.map(rowObject)),
    ...part('counted', counted.map(rowObject)),
    ...part('lost', lost.map(rowObject)),
    ...part('past', past.map(rowObject)),
    ...part('silence', silences.map(silenceObject)),
  ];
}

function firingObject(alert: AlertRecord): object {
  return {
    ...{ key: alert.dedupeKey, state: alert.state, severity: alert.severity, rule: alert.rule, text: alert.text },
    ...{ customer_id: alert.customerId, fired_at: alert.firedAt, occasions: alert.occasions },
    ...{ notified_at: alert.notified?.at, notified_as: alert.notified?.as },
  };
}

export function rowObject(row: ShownRow): object {
  return {
    ...{ id: row.id, key: row.dedupeKey, kind: row.kind, reason: row.reason, state: row.state },
    ...{ severity: row.severity, text: row.text, channel: row.channel, recipient: row.recipient },
    ...{ customer_id: row.customerId, rule: row.rule, attempts: row.attempts, counted: row.counted, why: row.why },
    ...{ created_at: row.createdAt, updated_at: row.updatedAt, accepted_at: row.acceptedAt },
  };
}

export function silenceObject(silence: Silence): object {
  return {
    ...{ id: silence.id, customer_id: silence.customerId, rule: silence.rule, severity: silence.severity },
    ...{ created_by: silence.createdBy, why: silence.why, created_at: silence.createdAt },
    ...{ expires_at: silence.expiresAt, ended_by: silence.endedBy, ended_at: silence.endedAt },
  };
}
