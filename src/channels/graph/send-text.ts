import * as z from 'zod';
import { InvariantError } from '../../domain/errors.ts';
import type { PhoneNumberId } from '../../domain/ids.ts';
import { isPhoneNumber } from '../../domain/messaging-address.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { maskBareNumbers } from '../../services/http/mask-numbers.ts';
import { tellableId } from '../../services/http/tellable.ts';
import type { SentAlert } from '../channel.ts';
import { callGraph, type GraphConnection, type NamedTemplate } from './call-graph.ts';

interface Outgoing {
  readonly from: PhoneNumberId;
  /** An international number, digits only. */
  readonly to: string;
  /** Our own id for the message, repeated in every delivery report. */
  readonly reference?: string;
}

export interface OutgoingText extends Outgoing {
  readonly body: string;
  /** Titles of buttons, at most three of 20 characters. */
  readonly answers?: readonly string[];
}

interface OutgoingTemplate extends Outgoing {
  readonly template: Pick<NamedTemplate, 'name' | 'language'>;
  /** The values, from the first variable. */
  readonly variables: readonly string[];
}

/** The interface's limit. pacekeeper counts UTF-16 units. */
export const TEXT_LENGTH_MAX = 4096;
/** With buttons. */
export const BUTTON_TEXT_LENGTH_MAX = 1024;
const REFERENCE_BYTES_MAX = 512;
const RESPONSE_LENGTH_MAX = 16 * 1024;

const answerShape = z.object({ messages: z.array(z.object({ id: z.string() })).min(1) });

/** Implements requirement A1. Throws `ApiError`: with outcome `unknown`, the message may have been sent. */
export async function sendText(
  graph: GraphConnection,
  { body, answers = [], ...message }: OutgoingText,
): Promise<SentAlert> {
  if (body.trim() === '' || body.length > TEXT_LENGTH_MAX) {
    throw new InvariantError(
      `The text was not sent: found ${body.length} characters, expected 1 to ${TEXT_LENGTH_MAX}.`,
    );
  }
  if (answers.length === 0) return send(graph, message, { type: 'text', text: { body } });
  const buttons = answers.map((title) => ({ type: 'reply', reply: { id: title, title } }));
  const interactive = { type: 'button', body: { text: body }, action: { buttons } };
  return send(graph, message, { type: 'interactive', interactive });
}

/** Arrives also outside the reply window, if the template is approved. Throws as `sendText`. */
export async function sendTemplate(
  graph: GraphConnection,
  { template: { name, language: code }, variables, ...message }: OutgoingTemplate,
): Promise<SentAlert> {
  const parameters = variables.map((text) => ({ type: 'text', text }));
  const template = { name, language: { code }, components: [{ type: 'body', parameters }] };
  return send(graph, message, { type: 'template', template });
}

async function send(graph: GraphConnection, { from, to, reference }: Outgoing, content: object): Promise<SentAlert> {
  if (!/^\d+$/.test(to) || !isPhoneNumber(`+${to}`))
    throw new InvariantError('The text was not sent: expected digits with the country code as the recipient.');
  if (reference !== undefined && Buffer.byteLength(reference) > REFERENCE_BYTES_MAX) {
    throw new InvariantError(`The text was not sent: its reference has more than ${REFERENCE_BYTES_MAX} bytes.`);
  }
  const message = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to,
    ...content,
    ...(reference === undefined ? {} : { biz_opaque_callback_data: reference }),
  };
  const text = await callGraph(graph, { method: 'POST', path: `${from}/messages`, body: message, numbers: [to] });
  const parsed = answerShape.safeParse(parseJson(text));
  // The answer can contain a second, different phone number of the recipient.
  const response = maskBareNumbers(graph.redact(text), [to]).slice(0, RESPONSE_LENGTH_MAX);
  return { providerId: tellableId(parsed.data?.messages[0]?.id, graph.redact), status: undefined, response };
}
