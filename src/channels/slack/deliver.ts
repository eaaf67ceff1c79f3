import { cutText } from '../../domain/outside-text.ts';
import { PAGES } from '../../domain/pages.ts';
import { PERMANENT, REFUSED_FOR_NOW, UNCERTAIN } from '../../services/http/classify-failure.ts';
import type { OutgoingAlert } from '../channel.ts';
import { type Post, postJson, type Sending } from '../post-json.ts';
import type { PostedArea } from '../posted-channel.ts';

/** The limit of one block. */
const SECTION_LENGTH_MAX = 3_000;
const BLOCKS_MAX = 50;
/** So that even paragraphs of one word fit into the blocks. */
const TEXT_LENGTH_MAX = 12_000;

const CHECK_WEBHOOK = 'Make a new incoming webhook in Slack, and set it in slack.webhooks (SLACK_WEBHOOKS).';

/** By the words of the answer, which say more than its status. */
const REFUSALS: Readonly<Record<string, ReturnType<NonNullable<Post['judge']>>>> = {
  invalid_payload: { ...PERMANENT, meaning: 'The message is malformed.' },
  invalid_blocks: { ...PERMANENT, meaning: 'The message is malformed.' },
  no_text: { ...PERMANENT, meaning: 'The message has no text.' },
  invalid_token: { ...PERMANENT, meaning: 'The webhook was revoked.', nextStep: CHECK_WEBHOOK },
  action_prohibited: { ...PERMANENT, meaning: 'The workspace does not allow this webhook.', nextStep: CHECK_WEBHOOK },
  no_service: { ...PERMANENT, meaning: 'The webhook no longer exists.', nextStep: CHECK_WEBHOOK },
  channel_not_found: { ...PERMANENT, meaning: 'The channel no longer exists.', nextStep: CHECK_WEBHOOK },
  channel_is_archived: { ...PERMANENT, meaning: 'The channel is archived.', nextStep: CHECK_WEBHOOK },
  rollup_error: { ...UNCERTAIN, meaning: 'Slack failed; the message may have been posted.' },
};

export const sending: Sending<PostedArea> = {
  textLengthMax: TEXT_LENGTH_MAX,
  fetchesPictures: true,
  send: (alert, url, connection) =>
    postJson(connection, {
      url,
      service: 'Slack',
      body: slackMessage(alert),
      judge: (status, text) => REFUSALS[text.trim()] ?? (status === 429 ? REFUSED_FOR_NOW : undefined),
    }),
};

/** `text` is for notifications and screen readers. The blocks have the same words. */
function slackMessage({ text, picture, dashboardUrl }: OutgoingAlert): object {
  const paragraphs = text.split('\n\n');
  const room = BLOCKS_MAX - (dashboardUrl === undefined ? 0 : 1) - (picture === undefined ? 0 : 1);
  const rest = paragraphs.splice(room - 1).join('\n\n');
  const sections = [...paragraphs, ...(rest === '' ? [] : [rest])].map((paragraph) => ({
    type: 'section',
    text: { type: 'mrkdwn', text: cutText(bold(paragraph), SECTION_LENGTH_MAX) },
  }));
  const images = picture === undefined ? [] : [{ type: 'image', image_url: picture.url, alt_text: picture.words }];
  const button = {
    type: 'button',
    text: { type: 'plain_text', text: 'Open pacekeeper' },
    url: dashboardUrl + PAGES.inbox.path,
  };
  const ways = dashboardUrl === undefined ? [] : [{ type: 'actions', elements: [button] }];
  return { text: escaped(text), blocks: [...sections, ...images, ...ways] };
}

/** The first line is the finding. */
function bold(paragraph: string): string {
  const [first = '', ...rest] = escaped(paragraph).split('\n');
  return [`*${first}*`, ...rest].join('\n');
}

/** Slack's own three. Other marks are harmless, because names have none. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
