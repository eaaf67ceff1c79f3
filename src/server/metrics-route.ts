import type { FastifyInstance } from 'fastify';
import type { Log } from '../domain/log.ts';
import { addressOf, type LogIn, NO_TOKEN } from './log-in.ts';
import type { Metrics } from './metrics.ts';
import type { Measure, PageSource } from './page-source.ts';
import { METRICS_PATH } from './paths.ts';
import { Refusal } from './refusal.ts';

/** `GET /metrics` for Prometheus, by a token as bearer and by nothing else. */
export function metricsRoute(
  server: FastifyInstance,
  {
    source,
    logIn,
    metrics,
    log,
  }: { readonly source: PageSource; readonly logIn: LogIn; readonly metrics: Metrics; readonly log: Log },
): void {
  server.get(METRICS_PATH, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const visitor = await logIn.byBearer(request);
    if (visitor.kind === 'nobody_can') throw new Refusal(404, NO_TOKEN);
    if (visitor.kind === 'too_many') {
      reply.header('retry-after', visitor.waitSeconds);
      throw new Refusal(429, `too many wrong tokens; try again in ${visitor.waitSeconds} seconds`);
    }
    if (visitor.kind !== 'known') {
      reply.header('www-authenticate', 'Bearer realm="pacekeeper"');
      const shown =
        visitor.kind === 'wrong' ? `a wrong token was shown from ${addressOf(request)}` : 'no token was shown';
      throw new Refusal(401, `${shown}; expected Authorization: Bearer and a token of pacekeeper serve token`);
    }
    return reply.type(metrics.contentType).send(await metrics.text(await measureSafely(source, log)));
  });
}

/** What this process knows is told although the databases cannot be asked; that they cannot is a number of its own. */
async function measureSafely(source: PageSource, log: Log): Promise<readonly Measure[]> {
  const readable = (value: number) => ({
    ...{
      name: 'pacekeeper_state_readable',
      help: '1 when state.sqlite could be read.',
      samples: [{ labels: {}, value }],
    },
  });
  try {
    return [readable(1), ...(await source.measure())];
  } catch (error) {
    log.warn(`The numbers of the databases could not be read: ${error instanceof Error ? error.message : error}`);
    return [readable(0)];
  }
}
