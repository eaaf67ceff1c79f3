import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PICTURE_PATH, picturedCustomer } from '../../domain/pages.ts';
import type { Log } from '../../domain/ports.ts';
import { Refusal } from '../../services/http/received-request.ts';
import { isSignedPath } from '../../services/http/signed-path.ts';
import type { PageSource } from '../status/page-source.ts';
import { HEADERS, partsOf } from './route.ts';

const FETCHES = { max: 20, timeWindow: 60_000, keyGenerator: ({ url }: FastifyRequest) => url };

interface PictureDeps {
  readonly source: PageSource;
  readonly key: string;
  readonly log: Log;
  nowMs(): number;
}

/** Providers cannot log in, so the signature in the address replaces a login. */
export function pictureRoute(server: FastifyInstance, { source, key, log, nowMs }: PictureDeps): void {
  const countFetch = server.createRateLimit(FETCHES);
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const { path, query } = partsOf(request);
    const customer = picturedCustomer(path);
    if (customer === undefined || !isSignedPath(path, query, key, nowMs()))
      throw new Refusal(404, 'the signature is wrong or has expired');
    const fetches = await countFetch(request);
    if (!fetches.isAllowed && fetches.isExceeded) {
      reply.header('retry-after', fetches.ttlInSeconds);
      throw new Refusal(429, 'the picture was fetched too often');
    }
    const png = await source.picture(customer).catch((error: unknown) => {
      log.warn(`Making a picture failed: ${error instanceof Error ? error.message : error}`);
      throw new Refusal(503, 'the picture could not be made');
    });
    if (png === undefined) throw new Refusal(404, 'the account has nothing to draw');
    return reply.headers(HEADERS).type('image/png').send(Buffer.from(png));
  };
  server.route({ method: ['GET', 'HEAD'], url: PICTURE_PATH, handler });
}
