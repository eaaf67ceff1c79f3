import { CHANNEL_NAMES, unusableChannel } from '../channels/channels.ts';
import type { AlertRecipient, AlertRoute, AlertSettings } from '../config/alert-settings.ts';
import { minuteText } from '../domain/civil-date.ts';
import {
  conditionsToldBy,
  forgetUntold,
  notifiedAddresses,
  passOnTelling,
} from '../storage/records/alerts/condition-table.ts';
import { dissolveMessage } from '../storage/records/alerts/message-outcome.ts';
import { messageRows, pendingMessages, takeApart } from '../storage/records/alerts/message-table.ts';
import type { Address } from '../storage/records/alerts/outbox-row.ts';
import {
  type AddressedRow,
  addressedRows,
  addressRow,
  failRow,
  moveRow,
  type OccasionRow,
  type PendingRow,
  rowsOfOccasion,
  tellAt,
  unaddressedRows,
  unaddressRow,
  type Withdrawal,
  withdrawRow,
} from '../storage/records/alerts/outbox-table.ts';
import { activeSilences, type Silence } from '../storage/records/alerts/silence-table.ts';
import { openProposals, proposalByCode } from '../storage/records/budgets/proposal-table.ts';
import { inTransaction } from '../storage/records/in-transaction.ts';
import type { StateDb } from '../storage/records/record-store.ts';
import { recipientAt } from './delivery-pass.ts';
import { type AlertSubject, matchesName, silenceMatches } from './silence-matches.ts';

interface AddressingDeps {
  readonly db: StateDb;
  readonly alerts: AlertSettings;
  readonly channels: readonly string[];
  readonly nowMs: number;
}

/** Withdraws unwanted alerts. Gives the others a recipient that is still in the settings. */
export async function addressPending(deps: AddressingDeps): Promise<void> {
  const { db, alerts, channels, nowMs } = deps;
  await inTransaction(db, async (trx) => {
    const addressing = { ...deps, db: trx };
    await dissolveMisaddressed(addressing);
    await withdrawUnwanted(trx, nowMs);
    await followReaders(addressing);
    await rerouteStrangers(addressing);
    if (alerts.recipients.length > 0) {
      for (const row of await unaddressedRows(trx)) {
        const { recipients, nobody } = await routeRow(trx, row, alerts);
        const addresses = recipients.flatMap((recipient) => firstAddress(recipient, channels));
        if (nobody === undefined) await addressRow(trx, row, addresses, nowMs);
        else await withdrawRow(trx, row.id, { because: 'no_recipient', why: nobody }, nowMs);
      }
    }
    await leaveDeadChannels(addressing);
  });
}

const STRANGERS = 'This address no longer belongs to a recipient.';
const MOVED: Withdrawal = { because: 'readdressed', why: STRANGERS };

/** A reply or test can go to an address that is not in the settings. */
const wantsRecipient = ({ reason }: Pick<AddressedRow, 'reason'>) => reason !== 'reply' && reason !== 'test';

async function dissolveMisaddressed({ db, alerts, channels, nowMs }: AddressingDeps): Promise<void> {
  for (const channel of CHANNEL_NAMES) {
    for (const message of await pendingMessages(db, channel)) {
      if (!channels.includes(channel)) await dissolveMessage(db, message, unusableChannel(channel), nowMs);
      else if (recipientAt(alerts, channel, message.recipient) === undefined) {
        const rows = await messageRows(db, message.id);
        if (rows.every(wantsRecipient)) await dissolveMessage(db, message, STRANGERS, nowMs);
      }
    }
  }
}

const NO_READER: Withdrawal = { because: 'no_recipient', why: 'The settings no longer send this report there.' };

/** A scheduled report goes to the address that its reader has today. Nobody who was removed gets figures. */
async function followReaders({ db, alerts, nowMs }: AddressingDeps): Promise<void> {
  for (const row of await addressedRows(db)) {
    const [kind, report = '', reader = ''] = row.dedupeKey.split(':');
    if (kind !== 'report') continue;
    const isReader = alerts.reports.get(report)?.to.includes(reader);
    const own = isReader ? alerts.recipients.find(({ name }) => name === reader)?.addresses : undefined;
    if (own?.get(row.channel) === row.recipient) continue;
    const recipient = own?.get('email');
    const held = await rowsOfOccasion(db, row);
    if (recipient === undefined || held.some((one) => one.recipient === recipient))
      await withdrawRow(db, row.id, NO_READER, nowMs);
    else await moveRow(db, row, { channel: 'email', recipient }, nowMs);
  }
}

async function rerouteStrangers({ db, alerts, channels, nowMs }: AddressingDeps): Promise<void> {
  for (const row of await addressedRows(db)) {
    if (!wantsRecipient(row) || recipientAt(alerts, row.channel, row.recipient) !== undefined) continue;
    if (alerts.recipients.length === 0) {
      await unaddressRow(db, row, MOVED, nowMs);
      continue;
    }
    const { recipients, nobody } = await routeRow(db, row, alerts);
    const held = (await rowsOfOccasion(db, row)).filter(({ id, reason }) => id !== row.id && reason !== 'reply');
    let told = nobody !== undefined;
    for (const recipient of recipients) {
      const own = held.filter((one) => isOf(recipient, one) && one.state !== 'withdrawn');
      told ||= own.length === 0 || own.some(mayArrive);
      if (own.length > 0) continue;
      for (const address of firstAddress(recipient, channels)) await tellAt(db, row, address, nowMs);
    }
    // If no recipient gets the alert, the alert must fail visibly.
    const withdrawal: Withdrawal =
      nobody === undefined ? MOVED : { because: 'no_recipient', why: `${STRANGERS} ${nobody}` };
    if (told) await withdrawRow(db, row.id, withdrawal, nowMs);
    else await failRow(db, row, STRANGERS, nowMs);
  }
}

async function leaveDeadChannels({ db, alerts, channels, nowMs }: AddressingDeps): Promise<void> {
  for (const row of await addressedRows(db)) {
    if (channels.includes(row.channel)) continue;
    const recipient = recipientAt(alerts, row.channel, row.recipient);
    const [address] = recipient ? firstAddress(recipient, channels) : [];
    if (address === undefined || !channels.includes(address.channel))
      await failRow(db, row, unusableChannel(row.channel), nowMs);
    else await moveTo(db, row, address, nowMs);
  }
}

async function moveTo(db: StateDb, row: AddressedRow, address: Address, nowMs: number): Promise<void> {
  const { channel, recipient } = address;
  const there = (await rowsOfOccasion(db, row)).find((one) => one.channel === channel && one.recipient === recipient);
  if (there === undefined) await moveRow(db, row, address, nowMs);
  else if (there.state === 'withdrawn' || mayArrive(there)) {
    await tellAt(db, row, address, nowMs);
    const why = `${unusableChannel(row.channel)} pacekeeper sends the alert through another interface.`;
    await withdrawRow(db, row.id, { because: 'readdressed', why }, nowMs);
  } else await failRow(db, row, unusableChannel(row.channel), nowMs);
}

const isOf = ({ addresses }: AlertRecipient, { channel, recipient }: Address) => addresses.get(channel) === recipient;

const mayArrive = ({ state }: OccasionRow) => state !== 'failed' && state !== 'unknown' && state !== 'withdrawn';

/** A digest ignores the routes. A resolved alert goes to the recipients of earlier alerts about the condition. */
async function routeRow(trx: StateDb, row: PendingRow, settings: AlertSettings): Promise<Routing> {
  const { kind, alertId, reason, recipientName: name } = row;
  const { recipients } = settings;
  if (kind === 'digest') {
    const own = recipients.filter((one) => one.name === name);
    return { recipients: own, nobody: own.length > 0 ? undefined : `${name} is no longer a recipient.` };
  }
  const routing = routeAlert(row, settings);
  if (reason !== 'resolved') return routing;
  const told = await notifiedAddresses(trx, alertId);
  // If nobody got an alert about the condition, the routes decide.
  if (told.size === 0) return routing;
  const heard = recipients.filter(({ addresses }) => [...addresses.values()].some((address) => told.has(address)));
  const nobody =
    heard.length > 0 ? undefined : 'All recipients of the first alert were removed from alerts.recipients.';
  return { recipients: heard, nobody };
}

function firstAddress({ addresses }: AlertRecipient, channels: readonly string[]): Address[] {
  const own = CHANNEL_NAMES.filter((channel) => addresses.has(channel));
  const channel = own.find((one) => channels.includes(one)) ?? own[0];
  const recipient = channel && addresses.get(channel);
  return channel === undefined || recipient === undefined ? [] : [{ channel, recipient }];
}

interface Routing {
  readonly recipients: readonly AlertRecipient[];
  /** The reason why there are no recipients. */
  readonly nobody: string | undefined;
}

/** Without routes, every alert goes to all recipients. If no route matches the alert, only critical alerts do. */
export function routeAlert(
  alert: AlertSubject,
  { recipients, routes }: { readonly recipients: readonly AlertRecipient[]; readonly routes: readonly AlertRoute[] },
): Routing {
  const matching = routes.filter((route) => isFor(route, alert));
  if (matching.length > 0) {
    const names = new Set(matching.flatMap(({ to }) => to));
    return { recipients: recipients.filter(({ name }) => names.has(name)), nobody: undefined };
  }
  if (routes.length === 0 || alert.severity === 'critical') return { recipients, nobody: undefined };
  return { recipients: [], nobody: 'No route in alerts.routes matches this alert.' };
}

function isFor({ severities, accounts, rules }: AlertRoute, { severity, customerId, rule }: AlertSubject): boolean {
  return (
    (severities === undefined || severities.includes(severity)) &&
    (accounts === undefined || (customerId !== undefined && accounts.includes(customerId))) &&
    (rules === undefined || rules.some((pattern) => matchesName(pattern, rule)))
  );
}

/** Withdraws silenced alerts, and alerts about proposals that are no longer open. */
export async function withdrawUnwanted(db: StateDb, nowMs: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    // Dissolve unsent messages first, so that their alerts can be withdrawn, too.
    await takeApart(trx, nowMs);
    const rows = [...(await unaddressedRows(trx)), ...(await addressedRows(trx))];
    if (rows.length === 0) return;
    const silences = await activeSilences(trx, nowMs);
    const open = new Set((await openProposals(trx, nowMs)).map(({ code }) => code));
    const alerts = new Map<bigint, PendingRow>();
    for (const row of rows) {
      const withdrawal = isAskedFor(row) ? undefined : whyUnwanted(row, silences, open);
      if (withdrawal === undefined) continue;
      if (await withdrawRow(trx, row.id, withdrawal, nowMs)) alerts.set(row.alertId, row);
    }
    const untold = new Set<bigint>();
    for (const row of alerts.values()) for (const id of await conditionsOf(trx, row)) untold.add(id);
    for (const id of untold) await forgetUntold(trx, id);
  });
}

/** Replies, tests and digests are never silenced, because people wait for them. */
function isAskedFor({ reason }: PendingRow): boolean {
  return reason === 'reply' || reason === 'test' || reason === 'digest';
}

function whyUnwanted(
  { severity, customerId, rule, proposalCode }: PendingRow,
  silences: readonly Silence[],
  waiting: ReadonlySet<string>,
): Withdrawal | undefined {
  const silence = silences.find((one) => silenceMatches(one, { severity, customerId, rule }));
  if (silence) {
    const { id, createdBy, expiresAt, why } = silence;
    return { because: 'silenced', why: `Silenced by ${createdBy} until ${minuteText(expiresAt)} (S${id}): ${why}` };
  }
  if (proposalCode === undefined || waiting.has(proposalCode)) return undefined;
  return { because: 'proposal_over', why: 'The proposal no longer awaits approval.' };
}

/** Returns the conditions that only this alert reported. A condition and its alert have the same id. */
async function conditionsOf(trx: StateDb, { alertId, kind, proposalCode }: PendingRow): Promise<bigint[]> {
  if (kind === 'condition') return [alertId];
  const proposal = proposalCode === undefined ? undefined : await proposalByCode(trx, proposalCode);
  // After an approval, the alert about the change reports the conditions.
  const intentId = proposal?.intentId;
  if (intentId !== undefined && !(await passOnTelling(trx, alertId, intentId))) return [];
  return conditionsToldBy(trx, alertId);
}
