import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FIELDS_MAX, isCutOneWay, whyNotMessagesForm } from './messages-form.ts';
import { MESSAGES_PATH } from './paths.ts';
import { hasMoreFields, readForm } from './read-form.ts';
import { readMessagesWebhook } from './read-messages-webhook.ts';
import { Refusal } from './refusal.ts';
import { bodyOf, type RouteDeps } from './route.ts';
import { isSignedByMessages } from './signatures.ts';

/** The provider's way to say that nobody is answered now. */
const NO_ANSWER = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;
/** HMAC-SHA1 in Base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{27}=$/;
const WRONG = 'X-Twilio-Signature is wrong for this form and SERVE_PUBLIC_URL';

/** Area C: people's messages, and what became of ours. Little is done for who has proven nothing yet. */
export function messagesRoute(server: FastifyInstance, { keep, secrets, baseUrl }: RouteDeps): void {
  const proofOf = ({ headers }: FastifyRequest) => {
    if (secrets.messages === undefined) throw new Refusal(404, 'MESSAGES_PASSWORD is not set');
    const signature = headers['x-twilio-signature'];
    if (typeof signature !== 'string') throw new Refusal(401, 'X-Twilio-Signature is missing');
    if (!SIGNATURE.test(signature)) throw new Refusal(403, WRONG);
    if (!FORM.test(headers['content-type'] ?? '')) throw new Refusal(400, 'the body is not a form');
    return { signature, password: secrets.messages };
  };

  // Before the body is read.
  const onRequest = async (request: FastifyRequest) => void proofOf(request);
  server.post(MESSAGES_PATH, { onRequest }, async (request, reply) => {
    const { signature, password } = proofOf(request);
    const body = bodyOf(request);
    if (hasMoreFields(body, FIELDS_MAX)) throw new Refusal(400, `the form has more than ${FIELDS_MAX} fields`);
    const { fields, isWhole } = readForm(body);
    const fault = whyNotMessagesForm(fields);
    if (fault !== undefined) throw new Refusal(400, fault);
    if (!isSignedByMessages(signature, password, baseUrl() + request.url, fields)) throw new Refusal(403, WRONG);
    if (!isWhole || fields.size === 0) throw new Refusal(400, 'the body is not a form');
    if (!isCutOneWay(fields)) throw new Refusal(400, 'a text of the form holds another sender or message id');
    await keep([readMessagesWebhook(fields)]);
    return reply.type('text/xml; charset=utf-8').send(NO_ANSWER);
  });
}
