import { usableChannels } from '../../alerts/delivery-pass.ts';
import { quietUntilMs } from '../../alerts/quiet-hours.ts';
import { CHANNEL_NAMES, FIRST_VARIABLES, maskAddress } from '../../channels/channels.ts';
import type { AlertRecipient } from '../../config/alert-settings.ts';
import { alertsOf } from '../../config/alert-settings.ts';
import { liveAreas } from '../../config/live-areas.ts';
import { instantText, minuteText } from '../../domain/civil-date.ts';
import { accountNames } from '../../storage/columns/budget-columns.ts';
import { type AlertRecord, firingAlerts } from '../../storage/records/alerts/alert-table.ts';
import { lostRows } from '../../storage/records/alerts/lost-rows.ts';
import { type ListedRow, listRows } from '../../storage/records/alerts/outbox-list.ts';
import { activeSilences, allSilences } from '../../storage/records/alerts/silence-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { isSeen, type ListedAlerts, type ShownRow } from '../../views/alerts-list.ts';
import type { StateApp } from '../app.ts';

const ROWS_MAX = 1000;
const PAST_MAX = 100;
const COUNTED_SHOWN_MS = 86_400_000;

/** If `all` is true, also lists past alerts and past silences. */
export async function listAlerts({ state: { db }, settings, clock }: StateApp, all: boolean): Promise<ListedAlerts> {
  const nowMs = clock.now();
  const areas = liveAreas(settings);
  const isLive = settings.target === 'live';
  const { recipients } = alertsOf(settings, areas);
  const told: Told = { recipients, isLive, channels: isLive ? usableChannels(areas) : CHANNEL_NAMES, nowMs };
  const named = accountNames(await allAccounts(db));
  const shown = (row: ListedRow): ShownRow => ({
    ...named(row),
    recipient: row.recipient === undefined ? undefined : maskAddress(row.channel, row.recipient),
    why: row.state === 'pending' ? whyWaiting(row, told) : whyStopped(row),
  });
  const waiting = await listRows(db, { states: ['pending', 'sending'], limit: ROWS_MAX });
  const countedSince = instantText(nowMs - COUNTED_SHOWN_MS);
  const counted = await listRows(db, { states: ['accepted', 'delivered'], countedSince, limit: ROWS_MAX });
  const shownAbove = new Set(counted.map(({ id }) => id));
  const stopped = { states: ['failed', 'unknown'], limit: ROWS_MAX } as const;
  const lost = await listRows(db, { ...stopped, isUndelivered: true });
  const lostIds = new Set(lost.map(({ id }) => id));
  const over = all ? await listRows(db, { states: ['accepted', 'delivered', 'withdrawn'], limit: PAST_MAX }) : [];
  const detours = all ? (await listRows(db, stopped)).filter(({ id }) => !lostIds.has(id)) : [];
  const past = [...over, ...detours].sort((one, other) => (one.id < other.id ? -1 : 1));
  const now = instantText(nowMs);
  const silences = all ? await allSilences(db) : await activeSilences(db, nowMs);
  return {
    firing: (await listFiring(db)).map(named),
    waiting: waiting.map(shown),
    counted: counted.map(shown),
    lost: lost.map(shown),
    past: past.filter(({ id }) => !shownAbove.has(id)).map(shown),
    silences: silences.map((silence) => ({
      ...named(silence),
      isOver: silence.endedAt !== undefined || silence.expiresAt <= now,
    })),
  };
}

/** Conditions that fire, and whether an alert about them was not delivered. */
export async function listFiring(db: StateDb): Promise<(AlertRecord & { readonly isLost: boolean })[]> {
  const lost = new Set((await lostRows(db)).map(({ alertId }) => alertId));
  return (await firingAlerts(db, 'condition')).map((one) => ({ ...one, isLost: lost.has(one.id) }));
}

interface Told {
  readonly recipients: readonly AlertRecipient[];
  readonly isLive: boolean;
  readonly channels: readonly string[];
  readonly nowMs: number;
}

function whyStopped(row: ListedRow): string | undefined {
  const { error, acknowledgedBy } = row;
  return isSeen(row) ? `${error ?? ''} Acknowledged by ${acknowledgedBy}.`.trimStart() : error;
}

function whyWaiting(row: ListedRow, { recipients, isLive, channels, nowMs }: Told): string {
  const { channel, recipient, reason, severity, error, attempts } = row;
  if (recipient === undefined && isLive && recipients.length === 0) {
    return 'no recipients: set alerts.recipients or MESSAGES_TO';
  }
  if (channels.length === 0) return `no interface is configured: set ${FIRST_VARIABLES}`;
  const own = recipients.find(({ addresses }) => recipient !== undefined && addresses.get(channel) === recipient);
  if (recipient !== undefined && !channels.includes(channel)) {
    const other = own && channels.some((one) => own.addresses.has(one));
    const ends = other ? 'sends it through another interface' : 'marks it as lost';
    return `its interface is no longer configured. The next run or pacekeeper alerts deliver ${ends}`;
  }
  if (error !== undefined) return `after ${attempts} ${attempts === 1n ? 'try' : 'tries'}: ${error}`;
  const waits = own && severity !== 'critical' && reason !== 'reply' && reason !== 'test';
  const untilMs = waits ? quietUntilMs(own, nowMs) : undefined;
  if (own && untilMs !== undefined) return `the quiet hours of ${own.name} end at ${minuteText(instantText(untilMs))}`;
  return 'the next run or pacekeeper alerts deliver sends it';
}
