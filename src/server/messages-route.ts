import type { FastifyInstance } from 'fastify';
import { readForm } from './read-form.ts';
import { readMessagesWebhook } from './read-messages-webhook.ts';
import { Refusal } from './refusal.ts';
import { bodyOf, type RouteDeps } from './route.ts';
import { isSignedByMessages } from './signatures.ts';

const PATH = '/webhooks/messages';

/** The provider's way to say that nobody is answered now. */
const NO_ANSWER = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** Area C: people's messages, and what became of ours. */
export function messagesRoute(server: FastifyInstance, { keep, secrets, baseUrl }: RouteDeps): void {
  server.post(PATH, async (request, reply) => {
    if (secrets.messages === undefined) throw new Refusal(404, 'MESSAGES_PASSWORD is not set');
    const signature = request.headers['x-twilio-signature'];
    if (typeof signature !== 'string') throw new Refusal(401, 'X-Twilio-Signature is missing');
    const { fields, isWhole } = readForm(bodyOf(request));
    if (!isSignedByMessages(signature, secrets.messages, baseUrl() + request.url, fields)) {
      throw new Refusal(403, 'X-Twilio-Signature is wrong for this form and SERVE_PUBLIC_URL');
    }
    if (!FORM.test(request.headers['content-type'] ?? '') || !isWhole || fields.size === 0) {
      throw new Refusal(400, 'the body is not a form');
    }
    await keep([readMessagesWebhook(fields)]);
    return reply.type('text/xml; charset=utf-8').send(NO_ANSWER);
  });
}
