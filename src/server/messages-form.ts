import { signedText } from './signatures.ts';

/**
 * The fields of area C's webhooks: inbound messages and delivery reports, of texts and of chat channels.
 * https://www.twilio.com/docs/messaging/guides/webhook-request
 * https://www.twilio.com/docs/messaging/guides/track-outbound-message-status
 */
const NAMES = new Set([
  'AccountSid',
  'ApiVersion',
  'Body',
  'From',
  'MessageSid',
  'MessagingServiceSid',
  'NumMedia',
  'NumSegments',
  'SmsMessageSid',
  'SmsSid',
  'SmsStatus',
  'To',
  'MessageStatus',
  'MessageType',
  'ErrorCode',
  'ErrorMessage',
  'RawDlrDoneDate',
  'Timestamp',
  'OptOutType',
  'AddOns',
  'EventType',
  'StructuredMessage',
  'FromCity',
  'FromCountry',
  'FromState',
  'FromZip',
  'ToCity',
  'ToCountry',
  'ToState',
  'ToZip',
  'ChannelInstallSid',
  'ChannelMetadata',
  'ChannelPrefix',
  'ChannelStatusMessage',
  'ChannelToAddress',
  'ProfileName',
  'WaId',
  'ExternalUserId',
  'Forwarded',
  'FrequentlyForwarded',
  'ButtonPayload',
  'ButtonText',
  'ButtonType',
  'ListDescription',
  'ListId',
  'ListTitle',
  'FlowData',
  'InteractiveData',
  'Address',
  'Label',
  'Latitude',
  'Longitude',
  'OriginalRepliedMessageSender',
  'OriginalRepliedMessageSid',
  'ReferralBody',
  'ReferralCtwaClid',
  'ReferralHeadline',
  'ReferralMediaContentType',
  'ReferralMediaId',
  'ReferralMediaUrl',
  'ReferralNumMedia',
  'ReferralSourceId',
  'ReferralSourceType',
  'ReferralSourceUrl',
]);
const MEDIA = /^Media(ContentType|Url)\d{1,2}$/;

/** Many more than the provider has ever sent together. */
export const FIELDS_MAX = 100;

/** Why a form is none of the provider's, before its signature is looked at; undefined where nothing speaks against it. */
export function whyNotMessagesForm(fields: URLSearchParams): string | undefined {
  const names = [...fields.keys()];
  if (!names.every((name) => NAMES.has(name) || MEDIA.test(name))) return 'the form has a field that is not known';
  return new Set(names).size < names.length ? 'the form has a field twice' : undefined;
}

/** Who speaks, and the message that is spoken of, as the provider writes them behind their names. */
const IDENTITY = [
  ['From', '(?:[a-z]{1,20}:)?\\+\\d'],
  ['MessageSid', '(?:SM|MM)[0-9a-fA-F]'],
] as const;

/**
 * Whether the text of a form that is signed says once who speaks and of which message. Names and values are signed without
 * anything between: what a person typed could be cut into a sender or an id that the provider never wrote. However the text is
 * cut, it stays the same, and so does how often it holds them.
 */
export function isCutOneWay(fields: URLSearchParams): boolean {
  const text = signedText(fields);
  return IDENTITY.every(([name, value]) => {
    const written = text.match(new RegExp(name + value, 'g')) ?? [];
    const begins = new RegExp(`^${value}`);
    const own = [...fields].filter(([field, held]) => field.endsWith(name) && begins.test(held));
    return written.length === own.length;
  });
}
