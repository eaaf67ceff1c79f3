import type { FastifyRequest } from 'fastify';
import type { Keep } from '../inbox/keep-together.ts';
import type { WebhookSecrets } from './webhooks-on.ts';

/** A form tells of one message: this is several times what the longest text takes. */
export const FORM_BYTES_MAX = 64 * 1024;

/** Area A puts what happened in a while into one body of up to 3 MB. */
export const BATCH_BYTES_MAX = 4 * 1024 * 1024;

/** What a route works with. */
export interface RouteDeps {
  readonly keep: Keep;
  readonly secrets: WebhookSecrets;
  /** The address that was signed, without path and query. */
  baseUrl(): string;
}

/** The body's bytes; none where none was sent. */
export function bodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
