import { addressPending } from '../../alerts/address-pending.ts';
import { deliverOutbox, LOOKED_FOR_MS } from '../../alerts/deliver.ts';
import {
  type CountedDelivery,
  type DeliveryChannel,
  openChannels,
  recipientAt,
  usableChannels,
} from '../../alerts/delivery-pass.ts';
import { composeDigest, digestKey, dueDigest } from '../../alerts/digest.ts';
import { openPictures, type PictureAt } from '../../alerts/pictures.ts';
import { silenceMatches } from '../../alerts/silence-matches.ts';
import { withdrawUnwanted } from '../../alerts/withdraw-unwanted.ts';
import { FIRST_VARIABLES, maskAddress } from '../../channels/channels.ts';
import { subjectOf } from '../../domain/budget-change.ts';
import { ALERT_SEVERITIES } from '../../domain/channel.ts';
import { civilDateAt, clockTimeAt, instantText } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { outsideName, shortLine } from '../../domain/outside-text.ts';
import { picturePath } from '../../domain/pages.ts';
import { ASKED_TO_STOP } from '../../domain/ports.ts';
import { isSunsetNear, sunsetOf, sunsetWords } from '../../language/gaql/catalogue/sunset.ts';
import type { MessageResult } from '../../language/results/report-result.ts';
import { decideNotification } from '../../language/rules/decide-notification.ts';
import { firingAlerts, notify, readAlert, recordCondition } from '../../storage/records/alerts/alert-table.ts';
import { conditionsOf } from '../../storage/records/alerts/condition-table.ts';
import {
  alertsToNobodyIn,
  changesMadeIn,
  type DigestSpan,
  failedAccountsSince,
  lastDigestAt,
  lostMessagesIn,
} from '../../storage/records/alerts/digest-facts.ts';
import { lostRows } from '../../storage/records/alerts/lost-rows.ts';
import { countOutbox } from '../../storage/records/alerts/outbox-table.ts';
import { activeSilences } from '../../storage/records/alerts/silence-table.ts';
import type { Intent } from '../../storage/records/budgets/intent-table.ts';
import { openProposals, type Proposal } from '../../storage/records/budgets/proposal-table.ts';
import { headText, recordHead } from '../../storage/records/budgets/record-head.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { allAccounts, knownAccount } from '../../storage/records/runs/account-table.ts';
import { firstRunMs } from '../../storage/records/runs/run-table.ts';
import { messageFailures, messageNotes } from '../../views/report/describe-results.ts';
import type { App } from '../app.ts';
import { describeAccount, describeAmounts } from '../budgets/describe-change.ts';
import { conditionText, lastNotification } from './condition-text.ts';

export interface AlertDelivery {
  readonly messages: readonly MessageResult[];
  readonly notes: readonly string[];
  readonly failures: readonly string[];
}

export async function deliverAlerts(app: App): Promise<AlertDelivery> {
  const { settings, state } = app;
  const channels = await openChannels(app, settings);
  const deps = {
    ...app,
    publicUrl: settings.serve.publicUrl,
    channels,
    pictureAt: picturesOf(app, channels),
    frozen: async () => {
      const frozen = await app.killSwitch.standing();
      return frozen && { ...frozen, why: app.redact(frozen.why) };
    },
  };
  const nowMs = app.clock.now();
  await withdrawUnwanted(state.db, nowMs);
  await enqueueHeldBack(app, nowMs);
  // Recipients are assigned before the digest, because the digest counts alerts without a recipient.
  const usable = usableChannels(app);
  if (usable.length > 0) await addressPending({ db: state.db, alerts: app.alerts, channels: usable, nowMs });
  await enqueueDigests(app, nowMs);
  const deliveries = await deliverOutbox(deps);
  const messages = deliveries.map((delivery) => toResult(app, delivery));
  const notes = [...messageNotes(messages), ...(await alertNotes(app))].map(app.redact);
  return { messages, notes, failures: messageFailures(messages).map(app.redact) };
}

/** Returns a failure if a stop came before everything was sent. */
export async function deliverAlertsAlone(app: App): Promise<AlertDelivery> {
  const delivery = await deliverAlerts(app);
  if (!app.stop.aborted) return delivery;
  const { pending } = await countOutbox(app.state.db, app.clock.now() - LOOKED_FOR_MS);
  if (pending === 0) return delivery;
  const waits = pending === 1 ? '1 alert waits' : `${pending} alerts wait`;
  const left = `${waits} for the next pacekeeper report or alerts deliver, because ${ASKED_TO_STOP}.`;
  return { ...delivery, failures: [...delivery.failures, left] };
}

function picturesOf(app: App, channels: readonly DeliveryChannel[]): PictureAt | undefined {
  const { settings, messages, clock, log } = app;
  const { publicUrl } = settings.serve;
  const check = channels.find(({ opened }) => opened?.pictures)?.opened?.pictures?.check;
  // Without a password in the settings, the sandbox's own password is used.
  const key = settings.messages.password ?? messages?.password;
  if (!settings.alerts.pictures || check === undefined || key === undefined) return undefined;
  if (publicUrl === undefined) {
    log.warn('Alerts go out without pictures: SERVE_PUBLIC_URL is not set.');
    return undefined;
  }
  return openPictures({ check, publicUrl, key, pathOf: picturePath, clock, log });
}

function toResult({ alerts: settings }: App, delivery: CountedDelivery): MessageResult {
  const { channel, recipient, text, state, alerts, counted, instead, isLost, error } = delivery;
  const name = recipientAt(settings, channel, recipient)?.name;
  const firstLine = text.split('\n').slice(0, 2).join(' · ');
  const whom = { name, channel, recipient: maskAddress(channel, recipient) };
  return { ...whom, state, firstLine, alerts, counted, instead, isLost, detail: error };
}

export async function alertNotes(app: App): Promise<string[]> {
  const notes: string[] = [];
  if (usableChannels(app).length === 0) notes.push(`No interface for alerts is configured. Set ${FIRST_VARIABLES}.`);
  const { pending, sending, unknown } = await countOutbox(app.state.db, app.clock.now() - LOOKED_FOR_MS);
  if (pending > 0) notes.push(`${pending} ${pending === 1 ? 'alert waits' : 'alerts wait'} in the outbox.`);
  // This process has sent its own alerts, so alerts in this state belong to another process.
  if (sending > 0) notes.push(`${sending} ${sending === 1 ? 'alert is' : 'alerts are'} being sent by another process.`);
  if (unknown > 0) notes.push(`${unknown === 1 ? '1 alert' : `${unknown} alerts`}: delivery not confirmed.`);
  const lost = (await lostRows(app.state.db)).length;
  if (lost > 0)
    notes.push(`${lost === 1 ? '1 alert was' : `${lost} alerts were`} not delivered: pacekeeper alerts list.`);
  return notes;
}

const LINE_LENGTH_MAX = 80;
/** The first digest covers at most this time, in milliseconds. */
const FIRST_SPAN_MS = 7 * 86_400_000;

/** Sends a digest even without news, because a missing digest means that nothing ran. */
async function enqueueDigests(app: App, nowMs: number): Promise<void> {
  const { state, alerts } = app;
  const at = alerts.digestAt;
  if (at === undefined || alerts.recipients.length === 0) return;
  const firstMs = await firstRunMs(state.db);
  if (firstMs === undefined) return;
  for (const { name, timeZone } of alerts.recipients) {
    const day = dueDigest(at, timeZone, firstMs, nowMs);
    const dedupeKey = day && digestKey(name, day);
    if (!day || !dedupeKey || (await readAlert(state.db, dedupeKey))) continue;
    await state.db.transaction().execute(async (trx) => {
      if (await readAlert(trx, dedupeKey)) return;
      const last = await lastDigestAt(trx, name);
      const sinceMs = last === undefined ? Math.max(firstMs, nowMs - FIRST_SPAN_MS) : Date.parse(last);
      // Subtracts a second, so that the start of the first run is included.
      const since = last ?? instantText(sinceMs - 1000);
      const facts = await gatherFacts(trx, app, { since, now: instantText(nowMs) });
      const shown = `${civilDateAt(sinceMs, timeZone)} ${clockTimeAt(sinceMs, timeZone)} ${timeZone}`;
      const text = composeDigest(day, { ...facts, since: shown });
      const about = { dedupeKey, customerId: undefined, severity: 'info', kind: 'digest', reason: 'digest' } as const;
      await notify(trx, { ...about, recipientName: name, text }, nowMs);
    });
  }
}

async function gatherFacts(db: StateDb, { settings, redact }: App, span: DigestSpan) {
  const names = new Map((await allAccounts(db)).map(({ customerId, name }) => [customerId, name]));
  const nameOf = (id: CustomerId) => outsideName(names.get(id) ?? id, LINE_LENGTH_MAX);
  const localeOf = (id: CustomerId) => settings.accounts.get(id)?.locale;
  const cut = (line: string) => shortLine(redact(line), LINE_LENGTH_MAX);
  // Amounts and names are on separate lines, because a name could look like an amount.
  const linesOf = (reference: string, change: Intent | Proposal) =>
    `${reference} ${describeAmounts(change, localeOf(change.customerId))}\n  ${cut(`${subjectOf(change, 'with id', outsideName)}, ${nameOf(change.customerId)}`)}`;
  const changes = await changesMadeIn(db, span);
  const sunset = sunsetOf(settings.ads.version, Date.parse(span.now));
  const failed = await failedAccountsSince(db, span.since);
  const head = await recordHead(db);
  const firing = await firingAlerts(db, 'condition');
  const bySeverity = firing.toSorted(
    (a, b) => ALERT_SEVERITIES.indexOf(b.severity) - ALERT_SEVERITIES.indexOf(a.severity),
  );
  return {
    changes: changes.map((change) => ({
      currency: change.currency,
      from: change.from,
      to: change.to,
      line: linesOf(`B${change.id}`, change),
    })),
    proposals: (await openProposals(db, Date.parse(span.now))).map((one) => linesOf(one.code, one)),
    conditions: bySeverity.map(({ severity, text, customerId, rule }) => {
      const where = [customerId && nameOf(customerId), rule && `rule ${rule}`].filter((part) => part).join(', ');
      return cut(`${severity}: ${text} (${where})`);
    }),
    failedAccounts: failed.map((id) => cut(describeAccount(id, { name: names.get(id) }))),
    lostMessages: await lostMessagesIn(db, span),
    recordHead: head.id === 0n ? undefined : headText(head),
    sunset: isSunsetNear(sunset) ? sunsetWords(sunset) : undefined,
    alertsToNobody: await alertsToNobodyIn(db, span),
  };
}

/** Enqueues alerts that were held back, for example by a silence. */
async function enqueueHeldBack({ state, alerts }: App, nowMs: number): Promise<void> {
  await state.db.transaction().execute(async (trx) => {
    const silences = await activeSilences(trx, nowMs);
    for (const condition of (await conditionsOf(trx)).values()) {
      const { id, dedupeKey, state: now, severity, text, customerId, rule, firedAt, notified } = condition;
      if (now !== 'firing') continue;
      const silenced = silences.some((silence) => silenceMatches(silence, { severity, customerId, rule }));
      const last = notified && lastNotification(notified, firedAt);
      const { kind } = decideNotification(last, { firing: true, severity, silenced }, nowMs, alerts);
      if (kind !== 'first' && kind !== 'escalated') continue;
      const account = (await knownAccount(trx, customerId)) ?? { customerId, name: undefined, timeZone: undefined };
      const says = { kind, rule, severity, text, why: undefined, since: firedAt, conditionId: id };
      const said = await conditionText(trx, account, says, nowMs);
      const about = { dedupeKey, rule, severity, customerId };
      await notify(trx, { ...about, kind: 'condition', reason: kind, text: said }, nowMs);
      // The condition keeps the text from the rule, not the text of the alert.
      await recordCondition(trx, { ...about, text, firing: true }, nowMs);
    }
  });
}
