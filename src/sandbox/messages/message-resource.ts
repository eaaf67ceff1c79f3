import type { ReceivedMessage } from '../message-store.ts';
import { jsonReply, type Reply } from '../reply.ts';

export const API_VERSION = '2010-04-01';
const SEGMENT_CHARACTERS = 153;

export function messageError(status: number, code: number, message: string): Reply {
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  return jsonReply(status, { code, message, more_info, status });
}

export function messageResource(message: ReceivedMessage, accountId: string, isSent: boolean): object {
  const { sid, to, from, body, mediaAttached, receivedAt, status, errorCode } = message;
  const date = new Date(receivedAt).toUTCString().replace('GMT', '+0000');
  const uri = `/${API_VERSION}/Accounts/${accountId}/Messages/${sid}`;
  return {
    sid,
    account_sid: accountId,
    messaging_service_sid: null,
    status,
    direction: 'outbound-api',
    to,
    from,
    body,
    num_media: mediaAttached ? '1' : '0',
    num_segments: segments(body),
    price: null,
    price_unit: null,
    error_code: errorCode ?? null,
    error_message: errorCode === undefined ? null : `Error ${errorCode}`,
    date_created: date,
    date_updated: date,
    date_sent: isSent ? date : null,
    api_version: API_VERSION,
    uri: `${uri}.json`,
    subresource_uris: { media: `${uri}/Media.json` },
  };
}

function segments(body: string): string {
  return String(Math.max(1, Math.ceil(body.length / SEGMENT_CHARACTERS)));
}
