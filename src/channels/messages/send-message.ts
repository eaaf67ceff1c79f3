import * as z from 'zod';
import { ApiError, InvariantError } from '../../domain/errors.ts';
import { isMessagingAddress } from '../../domain/messaging-address.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { basicAuthorization, isSuccess, readText } from '../../services/http/http-client.ts';
import { maskNumbers } from '../../services/http/mask-numbers.ts';
import type { SentAlert } from '../channel.ts';
import { checkMedia } from '../check-media.ts';
import { MESSAGE_ID, STATUS_WORD } from './find-message.ts';
import { type MessagesConnection, messagesUrl } from './messages-connection.ts';
import { explainMessageCode, readRefusal } from './read-refusal.ts';

interface Outgoing {
  /** In the form `<channel>:+<number>` (requirement C2). */
  readonly to: string;
  readonly statusCallback?: string | undefined;
}

interface OutgoingText extends Outgoing {
  readonly body: string;
  readonly mediaUrl?: string | undefined;
  /** True if {@link checkMedia} has just accepted the media. */
  readonly mediaIsChecked?: boolean;
}

/** `content` is the id of a template, `variables` are its values from the first. */
interface OutgoingTemplate extends Outgoing {
  readonly content: string;
  readonly variables: readonly string[];
}

export type OutgoingMessage = OutgoingText | OutgoingTemplate;

/** The interface's limit, in UTF-16 units. */
export const BODY_LENGTH_MAX = 1600;
const ANSWER_BYTES_MAX = 64 * 1024;
/** Less than ANSWER_BYTES_MAX, because a secret that was cut in half would not be recognised. */
const RESPONSE_LENGTH_MAX = 16 * 1024;

const sentShape = z.object({
  sid: z.string().regex(MESSAGE_ID).optional().catch(undefined),
  status: z.string().regex(STATUS_WORD).optional().catch(undefined),
});

/** Implements requirements C1–C5. The specification shows no body for a 2xx. Throws `ApiError`: with outcome `unknown`, the message may have been sent. */
export async function sendMessage(connection: MessagesConnection, message: OutgoingMessage): Promise<SentAlert> {
  const { from, http, redact } = connection;
  if (!isMessagingAddress(message.to))
    throw new InvariantError('The message was not sent: expected <channel>:+<number> as the recipient.');
  if (!isMessagingAddress(from))
    throw new InvariantError(
      'The message was not sent: expected <channel>:+<number> as the sender. Check MESSAGES_FROM.',
    );
  const fields = {
    To: message.to,
    From: from,
    ...('content' in message ? composeTemplate(message) : await composeText(connection, message)),
    ...(message.statusCallback === undefined ? {} : { StatusCallback: message.statusCallback }),
  };
  const answer = await http.send({
    method: 'POST',
    url: `${messagesUrl(connection)}.json`,
    headers: { ...basicAuthorization(connection), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
  // The status alone decides success, so a broken body counts as empty.
  const text = await readText(answer, ANSWER_BYTES_MAX).catch((error: unknown) => {
    if (error instanceof ApiError) return '';
    throw error;
  });
  const addresses = [message.to, from];
  if (!isSuccess(answer)) throw readRefusal(connection, answer, text, addresses);
  const read = sentShape.safeParse(parseJson(text));
  const { sid, status } = read.success ? read.data : {};
  return { providerId: sid, status, response: maskNumbers(redact(text), addresses).slice(0, RESPONSE_LENGTH_MAX) };
}

/** The interface refuses a text beside a template. */
function composeTemplate({ content, variables }: OutgoingTemplate): Readonly<Record<string, string>> {
  const values = variables.map((value, index) => [String(index + 1), value]);
  return { ContentSid: content, ContentVariables: JSON.stringify(Object.fromEntries(values)) };
}

async function composeText(
  connection: MessagesConnection,
  { body, mediaUrl, mediaIsChecked = false }: OutgoingText,
): Promise<Readonly<Record<string, string>>> {
  checkLength(body);
  if (mediaUrl === undefined) return { Body: body };
  const media = mediaIsChecked ? undefined : await checkMedia(connection, mediaUrl);
  if (media === undefined || media.kind === 'attached') return { Body: body, MediaUrl: mediaUrl };
  if (connection.media === 'refuse') {
    throw new ApiError(media.because, {
      status: 'MEDIA_REFUSED',
      outcome: 'not_processed',
      transient: false,
      nextStep: 'Send another type of file. Or set messages.media to "link": the text then contains the address.',
    });
  }
  const linked = `${body}\n${mediaUrl}`;
  checkLength(linked);
  return { Body: linked };
}

function checkLength(body: string): void {
  const code = body.trim() === '' ? '21602' : body.length > BODY_LENGTH_MAX ? '21617' : undefined;
  if (code === undefined) return;
  const found = code === '21602' ? '' : ` It has ${body.length} characters, including any linked media address.`;
  throw new ApiError(`The message was not sent: ${code} ${explainMessageCode(code)?.meaning}${found}`, {
    status: code,
    outcome: 'not_processed',
    transient: false,
    nextStep: explainMessageCode(code)?.nextStep,
  });
}
