import { createHash } from 'node:crypto';
import { referenceWord } from '../../domain/channel.ts';
import { ApiError } from '../../domain/errors.ts';
import { cutText, firstLineOf } from '../../domain/outside-text.ts';
import { PAGES } from '../../domain/pages.ts';
import type { OutgoingAlert, SaidAlert, SentAlert } from '../channel.ts';
import { postJson, type Sending } from '../post-json.ts';
import type { PostedArea } from '../posted-channel.ts';

/** Each alert is an event of its own, so this limits only their number. */
const TEXT_LENGTH_MAX = 100_000;
const SUMMARY_LENGTH_MAX = 1_024;
const KEY_LENGTH_MAX = 255;

export const sending: Sending<PostedArea> = {
  textLengthMax: TEXT_LENGTH_MAX,
  /** After a failure, all events are sent again, because PagerDuty recognises their keys. */
  async send(alert, routingKey, connection) {
    const { alerts } = alert;
    let sent: SentAlert = { providerId: undefined, status: undefined, response: '' };
    for (const [index, one] of alerts.entries()) {
      const { path, event } = pagerDutyEvent(one, alert);
      const post = {
        url: connection.url + path,
        service: 'PagerDuty',
        body: { routing_key: routingKey, ...event },
        proof: /"status":\s*"success"/,
        renew: 'Check the settings pagerduty.url (PAGERDUTY_URL) and pagerduty.routing_keys (PAGERDUTY_ROUTING_KEYS).',
      };
      sent = await postJson(connection, post).catch((error: unknown) => {
        if (!(error instanceof ApiError) || index === 0) throw error;
        const before = `PagerDuty accepted ${index} of ${alerts.length} events.`;
        throw new ApiError(`${before} ${error.message}`, { ...error, cause: error });
      });
    }
    return sent;
  },
};

/** A change event pages nobody. A test must show that pages arrive. */
export function pagerDutyEvent(
  { key, kind, reason, severity, customerId, rule, text, since }: SaidAlert,
  { reference, dashboardUrl }: Pick<OutgoingAlert, 'reference' | 'dashboardUrl'>,
): { readonly path: string; readonly event: object } {
  const said = {
    summary: cutText(firstLineOf(text), SUMMARY_LENGTH_MAX),
    source: 'pacekeeper',
    custom_details: { text, rule, customer_id: customerId, reference: referenceWord(reference) },
  };
  const link = { href: dashboardUrl + PAGES.alerts.path, text: 'Open pacekeeper' };
  const links = dashboardUrl === undefined ? [] : [link];
  const isOver = reason === 'resolved';
  if (severity === 'info' && !isOver && reason !== 'test')
    return { path: '/v2/change/enqueue', event: { payload: { ...said, timestamp: since }, links } };
  const event = {
    event_action: isOver ? 'resolve' : 'trigger',
    dedup_key: key.length > KEY_LENGTH_MAX ? createHash('sha256').update(key).digest('hex') : key,
    payload: { ...said, severity, class: kind },
    links,
  };
  return { path: '/v2/enqueue', event };
}
