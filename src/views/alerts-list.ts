import { makerWords } from '../domain/budget-change.ts';
import { firstLineOf } from '../domain/outside-text.ts';
import { CUSTOMER } from '../storage/columns/budget-columns.ts';
import { type Column, count, flag, id, instant, state, text } from '../storage/columns/column.ts';
import { MESSAGE_WORDS, SEVERITY_WORDS, type StateWord } from '../storage/columns/state-words.ts';
import { type AlertRecord, isAcknowledged } from '../storage/records/alerts/alert-table.ts';
import type { ListedRow } from '../storage/records/alerts/outbox-list.ts';
import type { Silence } from '../storage/records/alerts/silence-table.ts';
import { type Listing, memberPart } from './kit/listing.ts';

interface OfAccount {
  readonly accountName?: string | undefined;
}

export interface ShownAlert extends AlertRecord, OfAccount {
  /** True if its last alert was not delivered to somebody. */
  readonly isLost: boolean;
}

/** Recipients are masked. */
export interface ShownRow extends ListedRow, OfAccount {
  readonly why: string | undefined;
}

export interface ShownSilence extends Silence, OfAccount {
  readonly isOver: boolean;
}

export interface ListedAlerts {
  /** Conditions that were true at the last run. */
  readonly firing: readonly ShownAlert[];
  readonly waiting: readonly ShownRow[];
  /** Alerts of the last day that a message counted but did not show. */
  readonly counted: readonly ShownRow[];
  readonly lost: readonly ShownRow[];
  readonly past: readonly ShownRow[];
  readonly silences: readonly ShownSilence[];
}

type OfAlert = Pick<ListedRow, 'dedupeKey' | 'severity' | 'rule' | 'text'>;

const STATE_MEANING =
  'Conditions (`row` is `firing`): always firing. Alerts: pending, sending, accepted, delivered, failed, unknown or withdrawn.';
const KEY = text('key', 'Alerts with the same key are the same alert.', 'dedupeKey');
const SEVERITY = state('severity', 'info, warning or critical.', ({ severity }: Pick<Silence, 'severity'>) => severity);
const SHOWN_SEVERITY: Column<OfAlert> = {
  ...SEVERITY,
  title: 'Severity',
  word: ({ severity }) => SEVERITY_WORDS[severity],
};
const RULE = text('rule', 'The rule.', 'rule');
export const TEXT = text('text', 'The text of the alert.', ({ text: words }: OfAlert) => words, {
  title: 'Alert',
  long: true,
  importance: 2,
  shown: ({ text: words }) => firstLineOf(words),
});

const ALERT_MEANING = 'The number of the alert. pacekeeper alerts acknowledge takes it.';
const BY = 'The person who acknowledged the alert.';
const BY_AT = 'When the alert was acknowledged.';

/** True if a person acknowledged the alert, and no newer one came since. */
export function isSeen({ acknowledgedAt, createdAt }: Pick<ListedRow, 'acknowledgedAt' | 'createdAt'>): boolean {
  return acknowledgedAt !== undefined && acknowledgedAt >= createdAt;
}

export const FIRING_COLUMNS: readonly Column<ShownAlert>[] = [
  text('alert', ALERT_MEANING, ({ id }) => `A${id}`, { title: 'No.', stays: true }),
  KEY,
  state('state', STATE_MEANING, 'state'),
  SHOWN_SEVERITY,
  { ...RULE, title: 'Rule' },
  CUSTOMER,
  TEXT,
  instant('fired_at', 'When the condition became true.', 'firedAt', { title: 'Since', only: ['people', 'json'] }),
  instant('created_at', 'When the condition became true.', 'firedAt', { only: ['rows'] }),
  count('occasions', 'Number of notifications.', 'occasions', { only: ['json'] }),
  instant('notified_at', 'When the last notification was made.', ({ notified }) => notified?.at, {
    title: 'Last alert',
    only: ['people', 'json'],
  }),
  text('notified_as', 'Kind of the last notification: first, repeat or escalated.', ({ notified }) => notified?.as, {
    title: 'As',
    only: ['people', 'json'],
    shown: (alert) => {
      if (alert.isLost) return 'not delivered';
      const { notified, acknowledgedBy } = alert;
      return isAcknowledged(alert, notified) ? `seen by ${acknowledgedBy}` : (notified?.as ?? 'sent to nobody');
    },
  }),
  instant('acknowledged_at', BY_AT, 'acknowledgedAt', { only: ['json'] }),
  text('acknowledged_by', BY, 'acknowledgedBy', { only: ['json'] }),
];

export const OUTBOX_COLUMNS: readonly Column<ShownRow>[] = [
  id('id', 'The number of the row. Each recipient of an alert has one.', 'id'),
  text('alert', ALERT_MEANING, ({ alertId }) => `A${alertId}`, { title: 'No.', stays: true }),
  KEY,
  text('kind', 'The kind of the alert.', 'kind'),
  state('state', STATE_MEANING, 'state', {
    title: 'State',
    word: stateWord,
  }),
  SHOWN_SEVERITY,
  { ...RULE, title: 'Rule' },
  CUSTOMER,
  text('channel', 'The channel, such as messages or email.', 'channel'),
  text('recipient', 'The recipient, masked.', 'recipient', {
    title: 'To',
    stays: true,
    shown: ({ recipient }) => recipient ?? 'not addressed yet',
  }),
  TEXT,
  text('why', 'Why it waits or did not arrive.', 'why', { title: 'Why', long: true }),
  text('reason', 'Why it is sent: first, escalated, repeat and so on.', 'reason'),
  count('attempts', 'Number of attempts to send it.', 'attempts'),
  flag('counted', 'Whether the message only counted this alert, without its text.', 'counted'),
  instant('created_at', 'When it was created.', 'createdAt'),
  instant('updated_at', 'When the row reached its current state.', 'updatedAt'),
  instant('accepted_at', 'When the service accepted it.', 'acceptedAt'),
  instant('acknowledged_at', BY_AT, 'acknowledgedAt', { only: ['json'] }),
  text('acknowledged_by', BY, 'acknowledgedBy', { only: ['json'] }),
  instant(
    'told_or_moved_at',
    'The time when the service accepted it. If the service never did, the time when the alert reached its state.',
    deliveredAt,
    { title: 'When', only: ['people'], stays: true },
  ),
];

function stateWord(row: ShownRow): StateWord {
  const { state: now, counted, acceptedAt } = row;
  if (isDelivered(row)) return counted ? ['summarised', 'good'] : MESSAGE_WORDS[now];
  if (isSeen(row) && now !== 'withdrawn') return ['acknowledged', 'plain'];
  // A service that accepted a message can report later that it did not arrive.
  return now === 'failed' && acceptedAt === undefined ? ['refused', 'bad'] : MESSAGE_WORDS[now];
}

function isDelivered({ state: now }: ShownRow): boolean {
  return now === 'accepted' || now === 'delivered';
}

function deliveredAt(row: ShownRow): string {
  return isDelivered(row) ? (row.acceptedAt ?? row.updatedAt) : row.updatedAt;
}

export const SILENCE_COLUMNS: readonly Column<ShownSilence>[] = [
  id('id', 'The number of the silence.', 'id', { title: 'Silence', shown: (silence) => `S${silence.id}` }),
  text('scope', 'The alerts that it silences.', scopeOf, { title: 'Alerts', only: ['people'] }),
  state('standing', 'Whether it is active.', ({ isOver }) => (isOver ? 'ended' : 'active'), {
    title: 'State',
    only: ['people'],
    word: ({ isOver }) => (isOver ? ['ended', 'plain'] : ['active', 'waits']),
  }),
  SEVERITY,
  RULE,
  { ...CUSTOMER, title: undefined },
  text('why', 'The reason for the silence.', 'why', { title: 'Why', long: true }),
  text('created_by', 'The person who created the silence.', 'createdBy', { title: 'By' }),
  instant('created_at', 'When it was created.', 'createdAt'),
  instant('expires_at', 'When the silence ends.', 'expiresAt', { title: 'Until' }),
  text('ended_by', 'The person who ended the silence early.', 'endedBy', { title: 'Ended by' }),
  instant('ended_at', 'When the silence was ended early.', 'endedAt', { title: 'Ended' }),
];

export function scopeOf({
  customerId,
  accountName,
  rule,
  severity,
}: OfAccount & Pick<Silence, 'customerId' | 'rule' | 'severity'>): string {
  const account = accountName === undefined ? customerId : `${accountName} (${customerId})`;
  const parts = [
    account && `account ${account}`,
    rule === undefined ? undefined : makerWords(rule),
    severity && `severity ${severity}`,
  ].filter((one) => one !== undefined);
  return parts.length === 0 ? 'everything' : parts.join(', ');
}

export const NOTHING_FIRES = 'No alert is firing, and no alert is waiting to be sent.';

export function isQuiet({ firing, waiting, lost }: ListedAlerts): boolean {
  return firing.length + waiting.length + lost.length === 0;
}

function outbox(name: 'waiting' | 'counted' | 'lost' | 'past', title: string) {
  return memberPart(name, { row: name, title, columns: OUTBOX_COLUMNS });
}

export const ALERTS_LIST: Listing<ListedAlerts> = {
  name: 'alerts list',
  evident: ['kind', 'severity', 'rule', 'attempts', 'created_by', 'accepted_at'],
  about:
    '`row` is `firing` (a condition that is true now), `silence`, or one of four states of an alert. These are `waiting`, `counted` (only summarised), `lost` (delivery not confirmed) and `past` (sent or withdrawn).',
  order: [
    'id',
    'key',
    'kind',
    'state',
    'severity',
    'rule',
    'customer_id',
    'channel',
    'recipient',
    'text',
    'why',
    'reason',
    'attempts',
    'counted',
    'created_by',
    'created_at',
    'updated_at',
    'accepted_at',
  ],
  after: (alerts) => (isQuiet(alerts) ? [NOTHING_FIRES] : []),
  parts: [
    memberPart('firing', { row: 'firing', title: 'Firing', columns: FIRING_COLUMNS }),
    outbox('waiting', 'Waiting to be sent'),
    outbox('counted', 'Summarised'),
    outbox('lost', 'Delivery not confirmed'),
    outbox('past', 'Sent or withdrawn'),
    memberPart('silences', { row: 'silence', title: 'Silences', columns: SILENCE_COLUMNS }),
  ],
};
