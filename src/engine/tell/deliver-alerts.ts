import { addressPending, withdrawUnwanted } from '../../alerts/address-pending.ts';
import { deliverOutbox, LOOKED_FOR_MS } from '../../alerts/deliver.ts';
import {
  type CountedDelivery,
  type DeliveryChannel,
  openChannels,
  recipientAt,
  usableChannels,
} from '../../alerts/delivery-pass.ts';
import { openPictures, type PictureAt } from '../../alerts/pictures.ts';
import { silenceMatches } from '../../alerts/silence-matches.ts';
import { FIRST_VARIABLES, maskAddress } from '../../channels/channels.ts';
import { picturePath } from '../../domain/pages.ts';
import { ASKED_TO_STOP } from '../../domain/ports.ts';
import type { MessageResult } from '../../language/results/report-result.ts';
import { decideNotification } from '../../language/rules/decide-notification.ts';
import { notify, recordCondition } from '../../storage/records/alerts/alert-table.ts';
import { conditionsOf } from '../../storage/records/alerts/condition-table.ts';
import { lostRows } from '../../storage/records/alerts/lost-rows.ts';
import { countOutbox } from '../../storage/records/alerts/outbox-table.ts';
import { activeSilences } from '../../storage/records/alerts/silence-table.ts';
import { knownAccount } from '../../storage/records/runs/account-table.ts';
import type { RunTarget } from '../../storage/records/runs/run-result-table.ts';
import { messageFailures, messageNotes } from '../../views/report/describe-results.ts';
import type { App } from '../app.ts';
import { conditionText, lastNotification } from './condition-text.ts';
import { enqueueDigests } from './digest.ts';

export interface AlertDelivery {
  readonly messages: readonly MessageResult[];
  readonly notes: readonly string[];
  readonly failures: readonly string[];
}

/** `targets` are those of the current run. Without them, digests have those of the last report. */
export async function deliverAlerts(app: App, targets?: readonly RunTarget[]): Promise<AlertDelivery> {
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
  await enqueueDigests(app, nowMs, targets);
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
  const { settings, messages, clock, redact, log } = app;
  const { publicUrl } = settings.serve;
  if (!settings.alerts.pictures || !channels.some(({ opened }) => opened?.pictures)) return undefined;
  // Without a password in the settings, the sandbox's own password is used.
  const key = settings.serve.pictureKey ?? settings.messages.password ?? messages?.password;
  if (publicUrl !== undefined && key !== undefined)
    return openPictures({ publicUrl, key, pathOf: picturePath, clock, redact, log });
  log.warn(
    `Alerts go out without pictures: ${publicUrl === undefined ? 'SERVE_PUBLIC_URL' : 'SERVE_PICTURE_KEY'} is not set.`,
  );
  return undefined;
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
