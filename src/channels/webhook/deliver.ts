import { createHmac } from 'node:crypto';
import { referenceWord } from '../../domain/channel.ts';
import { PERMANENT, REFUSED_FOR_NOW } from '../../services/http/classify-failure.ts';
import type { OutgoingAlert } from '../channel.ts';
import { postJson, type Sending } from '../post-json.ts';
import type { WebhookArea } from './channel.ts';

/** A request of this size is usual for webhooks. */
const TEXT_LENGTH_MAX = 100_000;

const GONE = 410;

const CHECK_URLS = 'Check the address in webhook.urls (WEBHOOK_URLS).';

/** Receivers ignore a `webhook-id` that they know. */
export const sending: Sending<WebhookArea> = {
  textLengthMax: TEXT_LENGTH_MAX,
  settingsCanFix: () => false,
  send(alert, url, connection) {
    const body = JSON.stringify(webhookBody(alert));
    const headers = signed(connection, { id: referenceWord(alert.reference), at: alert.at, body });
    return postJson(connection, { url, service: 'The webhook', body, headers, judge, renew: CHECK_URLS });
  },
};

/** By the standard, 410 means never again, and every other refusal means later. */
function judge(status: number) {
  if (status === GONE) {
    return {
      ...PERMANENT,
      meaning: 'The receiver wants no more requests.',
      nextStep: 'Remove the address from webhook.urls and alerts.recipients.',
    };
  }
  return status >= 400 && status < 500 ? REFUSED_FOR_NOW : undefined;
}

export function webhookBody({ reference, at, text, alerts }: OutgoingAlert): object {
  return {
    type: 'alerts',
    timestamp: at,
    data: {
      reference: referenceWord(reference),
      text,
      alerts: alerts.map(({ key, kind, reason, severity, customerId, rule, text: own, since }) => ({
        key,
        kind,
        reason,
        severity,
        customer_id: customerId ?? null,
        rule: rule ?? null,
        since,
        text: own,
      })),
    },
  };
}

function signed(
  { secrets }: WebhookArea,
  { id, at, body }: { readonly id: string; readonly at: string; readonly body: string },
): Readonly<Record<string, string>> {
  const seconds = Math.floor(Date.parse(at) / 1000);
  const signatures = secrets.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') };
}
