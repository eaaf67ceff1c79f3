import type { FastifyInstance } from 'fastify';
import { HEALTH_PATH } from '../html/pages.ts';
import type { ScheduleHealth } from '../pages/status/page-source.ts';
import { type WebhookSecrets, webhooksOn } from './webhooks-on.ts';

export interface HealthOptions {
  readonly secrets: WebhookSecrets;
  /** What tells the folder that is served from others; absent where nobody asks. */
  readonly folder?: string;
  /** How many events wait to be handled; throws when that cannot be told. */
  countWaiting(): number;
  /** Whether the scheduler works; absent where nobody looks. */
  readonly schedule?: (() => Promise<ScheduleHealth>) | undefined;
}

/**
 * `GET /health`: whether this process can do its work. The scheduler is told of and is no part of that: it would not run again
 * for it, if this process were ended.
 */
export function healthRoute(server: FastifyInstance, options: HealthOptions): void {
  server.get(HEALTH_PATH, async (_request, reply) => {
    const { waiting, failed } = countSafely(options);
    const schedule = options.schedule === undefined ? {} : { schedule: await options.schedule() };
    return reply
      .code(failed ? 503 : 200)
      .send({ ok: !failed, folder: options.folder, webhooks: webhooksOn(options.secrets), waiting, ...schedule });
  });
}

function countSafely({ countWaiting }: HealthOptions): { readonly waiting: number | null; readonly failed: boolean } {
  try {
    return { waiting: countWaiting(), failed: false };
  } catch {
    return { waiting: null, failed: true };
  }
}
