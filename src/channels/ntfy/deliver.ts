import { ALERT_SEVERITIES } from '../../domain/channel.ts';
import { firstLineOf } from '../../domain/outside-text.ts';
import { PAGES } from '../../domain/pages.ts';
import type { OutgoingAlert } from '../channel.ts';
import { bearer, postJson, type Sending } from '../post-json.ts';
import type { NtfyArea } from './channel.ts';

/** A message of more than 4,096 bytes becomes an attachment. A unit of text has at most three bytes. */
const TEXT_LENGTH_MAX = 1_300;

/** From 1 to 5, and 3 is usual. */
const PRIORITIES = { info: 3, warning: 4, critical: 5 } as const;

export const sending: Sending<NtfyArea> = {
  textLengthMax: TEXT_LENGTH_MAX,
  send: (alert, topic, connection) =>
    postJson(connection, {
      url: connection.url,
      headers: bearer(connection),
      service: 'ntfy',
      body: ntfyMessage(alert, topic),
      proof: /"id":\s*"/,
      renew: 'Check the settings ntfy.url (NTFY_URL), ntfy.topics (NTFY_TOPICS) and ntfy.token (NTFY_TOKEN).',
    }),
};

export function ntfyMessage({ text, alerts, dashboardUrl }: OutgoingAlert, topic: string): object {
  const title = firstLineOf(text);
  const active = alerts.filter(({ reason }) => reason !== 'resolved');
  const severity = ALERT_SEVERITIES.findLast((one) => active.some((alert) => alert.severity === one)) ?? 'info';
  const view = { action: 'view', label: 'Open pacekeeper', url: dashboardUrl + PAGES.inbox.path };
  return {
    topic,
    title,
    message: text.slice(title.length).trim(),
    priority: PRIORITIES[severity],
    actions: dashboardUrl === undefined ? [] : [view],
  };
}
