import { addressPending } from '../alerts/address-pending.ts';
import { deliverOutbox } from '../alerts/deliver.ts';
import { type CountedDelivery, channelsOf, recipientAt } from '../alerts/delivery-pass.ts';
import { LOOKED_FOR_MS } from '../alerts/look-up.ts';
import { withdrawUnwanted } from '../alerts/withdraw-unwanted.ts';
import type { App } from '../app.ts';
import { ASKED_TO_STOP } from '../domain/stop.ts';
import { maskAddress } from '../http/redact.ts';
import { messageFailures, messageNotes } from '../report/describe-messages.ts';
import type { MessageResult } from '../report/report-result.ts';
import { MESSAGES_PATH } from '../server/paths.ts';
import { countOutbox } from '../store/outbox-table.ts';
import { enqueueDigests } from './enqueue-digests.ts';
import { tellUntold } from './tell-untold.ts';

export interface AlertDelivery {
  readonly messages: readonly MessageResult[];
  /** One sentence each. */
  readonly notes: readonly string[];
  readonly failures: readonly string[];
}

/** Sends what waits in the outbox, and finds out what became of what was sent before. */
export async function deliverAlerts(app: App): Promise<AlertDelivery> {
  const { settings, state } = app;
  const deps = {
    ...app,
    statusCallback: statusCallbackOf(app),
    frozen: async () => {
      const frozen = await app.killSwitch.standing();
      return frozen && { ...frozen, why: app.redact(frozen.why) };
    },
    retry: { messages: settings.messages.retry, graph: settings.graph.retry },
  };
  const nowMs = app.clock.now();
  await withdrawUnwanted(state.db, nowMs);
  await tellUntold(app, nowMs);
  // The digest counts what goes to nobody, so that is known before.
  const channels = channelsOf(app);
  if (channels.length > 0) await addressPending({ db: state.db, alerts: app.alerts, channels, nowMs });
  await enqueueDigests(app, nowMs);
  const deliveries = await deliverOutbox(deps);
  const messages = deliveries.map((delivery) => toResult(app, delivery));
  const notes = [...messageNotes(messages), ...(await alertNotes(app))].map(app.redact);
  return { messages, notes, failures: messageFailures(messages).map(app.redact) };
}

/** The same as a job of its own: asked to stop before everything was sent, it has failed. */
export async function deliverAlertsAlone(app: App): Promise<AlertDelivery> {
  const delivery = await deliverAlerts(app);
  if (!app.stop.aborted) return delivery;
  const { pending } = await countOutbox(app.state.db, app.clock.now() - LOOKED_FOR_MS);
  if (pending === 0) return delivery;
  const waits = pending === 1 ? '1 alert waits' : `${pending} alerts wait`;
  const left = `${waits} for the next pacekeeper alerts deliver or report, because ${ASKED_TO_STOP}.`;
  return { ...delivery, failures: [...delivery.failures, left] };
}

/** Where area C reports delivery to: the server, where the provider can reach it. */
function statusCallbackOf({ settings }: App): string | undefined {
  const { publicUrl } = settings.serve;
  return publicUrl === undefined ? undefined : `${publicUrl}${MESSAGES_PATH}`;
}

function toResult({ alerts: settings }: App, delivery: CountedDelivery): MessageResult {
  const { channel, recipient, text, state, alerts, counted, instead, isLost, error } = delivery;
  const name = recipientAt(settings, channel, recipient)?.name;
  const firstLine = text.split('\n').slice(0, 2).join(' · ');
  const whom = { name, channel, recipient: maskAddress(channel, recipient) };
  return { ...whom, state, firstLine, alerts, counted, instead, isLost, detail: error };
}

/** What waits in the outbox and why. */
export async function alertNotes(app: App): Promise<string[]> {
  const notes: string[] = [];
  if (channelsOf(app).length === 0)
    notes.push('The messaging interface is not configured (MESSAGES_URL): alerts wait in the outbox.');
  const { pending, sending, unknown } = await countOutbox(app.state.db, app.clock.now() - LOOKED_FOR_MS);
  if (pending > 0) notes.push(`${pending} ${pending === 1 ? 'alert waits' : 'alerts wait'} in the outbox.`);
  // Ours are at their end by now: another process has these, or it has died with them and their lease will run out.
  if (sending > 0) notes.push(`${sending} ${sending === 1 ? 'alert is' : 'alerts are'} being sent by another process.`);
  if (unknown > 0) notes.push(`${unknown === 1 ? '1 alert' : `${unknown} alerts`} may or may not have arrived.`);
  return notes;
}
