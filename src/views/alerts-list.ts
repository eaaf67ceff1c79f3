import { firstLineOf } from '../domain/outside-text.ts';
import type { AlertRecord } from '../store/alerts/alert-table.ts';
import type { ListedRow } from '../store/alerts/outbox-list.ts';
import type { Silence } from '../store/alerts/silence-table.ts';
import { MESSAGE_WORDS, SEVERITY_WORDS } from '../text/state-words.ts';
import { CUSTOMER } from './budget-columns.ts';
import { type Column, count, flag, id, instant, state, text } from './kit/column.ts';
import { type Listing, memberPart } from './kit/listing.ts';

interface OfAccount {
  readonly accountName?: string | undefined;
}

export interface ShownAlert extends AlertRecord, OfAccount {}

/** The recipient is masked. */
export interface ShownRow extends ListedRow, OfAccount {
  readonly why: string | undefined;
}

export interface ShownSilence extends Silence, OfAccount {
  readonly isOver: boolean;
}

export interface ListedAlerts {
  /** As far as the last run knows. */
  readonly firing: readonly ShownAlert[];
  readonly waiting: readonly ShownRow[];
  /** Alerts that the last day's messages only summarised. */
  readonly counted: readonly ShownRow[];
  /** Delivery not confirmed by any channel: the last try for each alert and person. */
  readonly lost: readonly ShownRow[];
  readonly past: readonly ShownRow[];
  readonly silences: readonly ShownSilence[];
}

type OfAlert = Pick<ListedRow, 'dedupeKey' | 'severity' | 'rule' | 'text'>;

const KEY = text('key', 'Two alerts with the same key are one.', 'dedupeKey');
const SEVERITY = state('severity', 'info, warning or critical.', ({ severity }: Pick<Silence, 'severity'>) => severity);
const SHOWN_SEVERITY: Column<OfAlert> = {
  ...SEVERITY,
  title: 'Severity',
  word: ({ severity }) => SEVERITY_WORDS[severity],
};
const RULE = text('rule', 'The rule.', 'rule');
const TEXT = text('text', 'The text of the alert.', ({ text: told }: OfAlert) => told, {
  title: 'What',
  long: true,
  shown: ({ text: told }) => firstLineOf(told),
});

export const FIRING_COLUMNS: readonly Column<ShownAlert>[] = [
  KEY,
  state('state', 'Always firing.', 'state'),
  SHOWN_SEVERITY,
  { ...RULE, title: 'Rule' },
  CUSTOMER,
  TEXT,
  instant('fired_at', 'The instant from which it is true.', 'firedAt', { title: 'Since', only: ['people', 'json'] }),
  instant('created_at', 'The instant from which it is true.', 'firedAt', { only: ['rows'] }),
  count('occasions', 'Times that there was something to tell.', 'occasions', { only: ['json'] }),
  instant('notified_at', 'When it was last told.', ({ notified }) => notified?.at, {
    title: 'Told',
    only: ['people', 'json'],
  }),
  text('notified_as', 'As what: first, repeat, escalated.', ({ notified }) => notified?.as, {
    title: 'As',
    only: ['people', 'json'],
    shown: ({ notified }) => notified?.as ?? 'told to nobody',
  }),
];

export const OUTBOX_COLUMNS: readonly Column<ShownRow>[] = [
  id('id', 'The number in the outbox.', 'id'),
  KEY,
  text('kind', 'The kind of the alert.', 'kind'),
  state('state', 'pending, sending, accepted, delivered, failed, unknown or withdrawn.', 'state', {
    title: 'State',
    word: (row) => (row.counted && isTold(row) ? ['summarised', 'good'] : MESSAGE_WORDS[row.state]),
  }),
  SHOWN_SEVERITY,
  { ...RULE, title: 'Rule' },
  CUSTOMER,
  text('channel', 'messages or graph.', 'channel'),
  text('recipient', 'The recipient, masked.', 'recipient', {
    title: 'To',
    shown: ({ recipient }) => recipient ?? 'not addressed yet',
  }),
  TEXT,
  text('why', 'The reason why it waits or did not arrive.', 'why', { title: 'Why', long: true }),
  text('reason', 'first, escalated, repeat and so on.', 'reason'),
  count('attempts', 'Times that it was sent.', 'attempts'),
  flag('counted', 'Whether its message says only that there is one more.', 'counted'),
  instant('created_at', 'When it was made.', 'createdAt'),
  instant('updated_at', 'When it came to its state.', 'updatedAt'),
  instant('accepted_at', 'When the service took it.', 'acceptedAt'),
  instant(
    'told_or_moved_at',
    'When it was told, whatever became known of it later; else when it came to its state.',
    toldAt,
    { title: 'When', only: ['people'] },
  ),
];

function isTold({ state: now }: ShownRow): boolean {
  return now === 'accepted' || now === 'delivered';
}

function toldAt(row: ShownRow): string {
  return isTold(row) ? (row.acceptedAt ?? row.updatedAt) : row.updatedAt;
}

export const SILENCE_COLUMNS: readonly Column<ShownSilence>[] = [
  id('id', 'The number of the silence.', 'id', { title: 'Silence', shown: (silence) => `S${silence.id}` }),
  text('scope', 'Which alerts.', scopeOf, { title: 'Alerts', only: ['people'] }),
  state('standing', 'Whether it holds.', ({ isOver }) => (isOver ? 'over' : 'holds'), {
    title: 'State',
    only: ['people'],
    word: ({ isOver }) => (isOver ? ['over', 'plain'] : ['holds', 'waits']),
  }),
  SEVERITY,
  RULE,
  { ...CUSTOMER, title: undefined },
  text('why', 'The reason.', 'why', { title: 'Why', long: true }),
  text('created_by', 'The person who made the silence.', 'createdBy', { title: 'By' }),
  instant('created_at', 'When it was made.', 'createdAt'),
  instant('expires_at', 'When the silence is over.', 'expiresAt', { title: 'Until' }),
  text('ended_by', 'The person who ended it before that.', 'endedBy', { title: 'Ended by' }),
  instant('ended_at', 'When it was ended.', 'endedAt', { title: 'Ended' }),
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
    rule === undefined ? undefined : `rule ${rule}`,
    severity && `severity ${severity}`,
  ].filter((one) => one !== undefined);
  return parts.length === 0 ? 'everything' : parts.join(', ');
}

export const NOTHING_FIRES = 'Nothing fires, and nothing waits to be told.';

export function isQuiet({ firing, waiting, lost }: ListedAlerts): boolean {
  return firing.length + waiting.length + lost.length === 0;
}

function outbox(name: 'waiting' | 'counted' | 'lost' | 'past', title: string) {
  return memberPart(name, { row: name, title, columns: OUTBOX_COLUMNS });
}

export const ALERTS_LIST: Listing<ListedAlerts> = {
  name: 'alerts list',
  about:
    '`row` is `firing` (a condition that is true now), `waiting`, `counted`, `lost` or `past` (a row of the outbox), or `silence`.',
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
    outbox('waiting', 'Waiting to be told'),
    outbox('counted', 'Summarised'),
    outbox('lost', 'Not known to have arrived'),
    outbox('past', 'Told or withdrawn'),
    memberPart('silences', { row: 'silence', title: 'Silences', columns: SILENCE_COLUMNS }),
  ],
};
