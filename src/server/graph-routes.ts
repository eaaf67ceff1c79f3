import type { FastifyInstance, FastifyRequest } from 'fastify';
import { GRAPH_PATH } from './paths.ts';
import { readGraphWebhook } from './read-graph-webhook.ts';
import { Refusal } from './refusal.ts';
import { BATCH_BYTES_MAX, bodyOf, type RouteDeps } from './route.ts';
import { isSame, isSignedByGraph } from './signatures.ts';

/** HMAC-SHA256 in hexadecimal. */
const SIGNATURE = /^sha256=[0-9a-f]{64}$/;
const WRONG = 'X-Hub-Signature-256 is wrong';

/** Area A: the challenge by which the provider proves the address, and what it tells from then on (requirement A11). */
export function graphRoutes(server: FastifyInstance, { keep, secrets }: RouteDeps): void {
  server.get(GRAPH_PATH, async (request, reply) => {
    const { graphVerify } = secrets;
    if (graphVerify === undefined) throw new Refusal(404, 'GRAPH_VERIFY_TOKEN is not set');
    const challenge = challengeOf(request, graphVerify);
    return reply.type('text/plain; charset=utf-8').header('x-content-type-options', 'nosniff').send(challenge);
  });

  const proofOf = ({ headers }: FastifyRequest) => {
    const { graphApp } = secrets;
    if (graphApp === undefined) throw new Refusal(404, 'GRAPH_APP_SECRET is not set');
    const signature = headers['x-hub-signature-256'];
    if (typeof signature !== 'string') throw new Refusal(401, 'X-Hub-Signature-256 is missing');
    if (!SIGNATURE.test(signature)) throw new Refusal(403, WRONG);
    return { signature, graphApp };
  };

  // Before the body is read.
  const onRequest = async (request: FastifyRequest) => void proofOf(request);
  server.post(GRAPH_PATH, { bodyLimit: BATCH_BYTES_MAX, onRequest }, async (request, reply) => {
    const { signature, graphApp } = proofOf(request);
    const body = bodyOf(request);
    if (!isSignedByGraph(signature, graphApp, body)) throw new Refusal(403, WRONG);
    await keep(readSafely(body));
    return reply.send({ received: true });
  });
}

function challengeOf(request: FastifyRequest, graphVerify: string): string {
  const query = new URLSearchParams(request.url.slice(request.url.indexOf('?') + 1));
  const [mode, token, challenge] = ['mode', 'verify_token', 'challenge'].map((name) => query.get(`hub.${name}`));
  const isKnown = isSame(token ?? '', graphVerify);
  if (mode !== 'subscribe' || !isKnown) throw new Refusal(403, 'hub.mode or hub.verify_token is wrong');
  if (!challenge) throw new Refusal(400, 'hub.challenge is missing');
  return challenge;
}

function readSafely(body: Buffer) {
  try {
    return readGraphWebhook(body.toString('utf8'));
  } catch (error) {
    // What is nested as deep as the body is long can be read and not written.
    if (error instanceof SyntaxError || error instanceof RangeError) throw new Refusal(400, 'the body is not JSON');
    throw error;
  }
}
