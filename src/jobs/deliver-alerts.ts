import { deliverOutbox } from '../alerts/deliver.ts';
import type { App } from '../app.ts';
import { maskRecipient } from '../http/redact.ts';
import { messageFailure } from '../report/describe-results.ts';
import type { MessageResult } from '../report/report-result.ts';
import { countMessages, settleInterruptedMessages } from '../store/outbox-table.ts';

export interface AlertDelivery {
  readonly messages: readonly MessageResult[];
  /** One sentence each. */
  readonly notes: readonly string[];
  readonly failures: readonly string[];
}

/** Sends what waits in the outbox. What a run before was interrupted at is not sent again, and is told. */
export async function deliverAlerts(app: App): Promise<AlertDelivery> {
  const interrupted = await settleInterruptedMessages(app.state.db, app.clock.now());
  const messages = await deliver(app);
  const alerts = interrupted === 1 ? 'an alert' : `${interrupted} alerts`;
  return {
    messages,
    notes: await alertNotes(app),
    failures: [
      ...messages.flatMap(messageFailure),
      ...(interrupted > 0 ? [`An earlier run was interrupted while it sent ${alerts}.`] : []),
    ],
  };
}

async function deliver(app: App): Promise<MessageResult[]> {
  if (!app.messages) return [];
  const { connection, recipients } = app.messages;
  const deliveries = await deliverOutbox({
    ...app,
    messages: connection,
    recipients,
    retry: app.settings.messagesRetry,
  });
  return deliveries.map(({ recipient, text, state, error }) => ({
    recipient: maskRecipient(recipient),
    state,
    firstLine: text.split('\n').slice(0, 2).join(' · '),
    detail: error,
  }));
}

/** What waits in the outbox and why. */
export async function alertNotes(app: App): Promise<string[]> {
  const notes: string[] = [];
  if (!app.messages) notes.push('The messaging interface is not configured (MESSAGES_URL): alerts wait in the outbox.');
  const { waiting, unknown } = await countMessages(app.state.db);
  if (waiting > 0) notes.push(`${waiting} ${waiting === 1 ? 'alert waits' : 'alerts wait'} in the outbox.`);
  if (unknown > 0) {
    const alerts = unknown === 1 ? '1 alert' : `${unknown} alerts`;
    notes.push(`${alerts} may or may not have arrived and will not be sent again.`);
  }
  return notes;
}
