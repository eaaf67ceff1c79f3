import * as z from 'zod';
import { InvariantError } from '../../domain/errors.ts';
import type { PhoneNumberId } from '../../domain/ids.ts';
import { isPhoneNumber } from '../../domain/messaging-address.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { maskBareNumbers } from '../../http/mask-numbers.ts';
import { tellableId } from '../../http/tellable.ts';
import { callGraph, type GraphConnection } from './call-graph.ts';

export interface OutgoingText {
  /** The sender: it stands in the path and nowhere else (requirement A1). */
  readonly from: PhoneNumberId;
  /** A number in international form, digits alone. */
  readonly to: string;
  readonly body: string;
  /** Our own reference; it comes back with every report on the message. */
  readonly reference?: string;
}

/** Characters of a text, the interface's limit. */
export const TEXT_LENGTH_MAX = 4096;
const REFERENCE_BYTES_MAX = 512;
const RESPONSE_LENGTH_MAX = 16 * 1024;

const answerShape = z.object({ messages: z.array(z.object({ id: z.string() })).min(1) });

/**
 * Sends one text (requirement A1). Any 2xx without an error is success; `response` is what came back, for the record, with
 * the number masked. Throws `ApiError`, whose `outcome` of `unknown` means that the message may be out, and
 * `InvariantError` for what was never checked. Never repeats by itself.
 */
export async function sendText(
  graph: GraphConnection,
  { from, to, body, reference }: OutgoingText,
): Promise<{ readonly providerId: string | undefined; readonly response: string }> {
  if (!/^\d+$/.test(to) || !isPhoneNumber(`+${to}`)) throw new InvariantError('A text to a number never checked.');
  if (body.trim() === '' || body.length > TEXT_LENGTH_MAX) {
    throw new InvariantError(`A text of ${body.length} characters, expected 1 to ${TEXT_LENGTH_MAX}.`);
  }
  if (reference !== undefined && Buffer.byteLength(reference) > REFERENCE_BYTES_MAX) {
    throw new InvariantError(`A reference of more than ${REFERENCE_BYTES_MAX} bytes.`);
  }
  const message = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to,
    type: 'text',
    text: { body },
    ...(reference === undefined ? {} : { biz_opaque_callback_data: reference }),
  };
  const text = await callGraph(graph, { method: 'POST', path: `${from}/messages`, body: message, numbers: [to] });
  const parsed = answerShape.safeParse(parseJson(text));
  // It names the recipient also by the number that the network knows, which is another one in some countries.
  const response = maskBareNumbers(graph.redact(text), [to]).slice(0, RESPONSE_LENGTH_MAX);
  return { providerId: tellableId(parsed.data?.messages[0]?.id, graph.redact), response };
}
