import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { METRICS_PATH } from '../../domain/pages.ts';
import type { Log } from '../../domain/ports.ts';
import type { Measure, PageSource } from '../status/page-source.ts';
import { bearerToken, type LogIn } from './log-in.ts';
import { countIfKnown, knownPath } from './route.ts';

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(countWaiting: () => Promise<number>) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'pacekeeper_http_requests_total',
    help: 'Answered requests.',
    labelNames: ['route', 'method', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'pacekeeper_http_request_duration_seconds',
    help: 'Response time.',
    labelNames: ['route'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  });
  new Gauge({
    name: 'pacekeeper_webhook_events_waiting',
    help: 'Webhook events that are not handled yet; NaN if unknown.',
    registers: [registry],
    async collect() {
      this.set((await countIfKnown(countWaiting)) ?? Number.NaN);
    },
  });
  return {
    contentType: registry.contentType,
    /** Unknown paths share the label `other`. Otherwise clients could create endless labels. */
    countAnswers(server: FastifyInstance): void {
      server.addHook('onResponse', async (request, reply) => {
        const route = knownPath(request.url.split('?')[0] ?? '') ?? 'other';
        requests.inc({ route, method: request.method, status: reply.statusCode });
        durations.observe({ route }, reply.elapsedTime / 1000);
      });
    },
    text: async (measures: readonly Measure[]) => `${await registry.metrics()}\n${await textOf(measures)}`,
  };
}

function textOf(measures: readonly Measure[]): Promise<string> {
  const registry = new Registry();
  for (const { name, help, samples } of measures) {
    // A gauge without samples would show the value 0.
    if (samples.length === 0) continue;
    const labelNames = [...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))];
    const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
    for (const { labels, value } of samples) gauge.set(labels, value);
  }
  return registry.metrics();
}

export interface MetricsDeps {
  readonly source: PageSource;
  readonly logIn: LogIn;
  readonly metrics: Metrics;
  readonly log: Log;
}

export function metricsRoute(server: FastifyInstance, { source, logIn, metrics, log }: MetricsDeps): void {
  server.get(METRICS_PATH, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    await bearerToken(logIn, request, reply);
    return reply.type(metrics.contentType).send(await metrics.text(await measureSafely(source, log)));
  });
}

/** If the databases are unreadable, the only metric is `pacekeeper_state_readable` 0. */
async function measureSafely(source: PageSource, log: Log): Promise<readonly Measure[]> {
  const readable = (value: number): Measure => ({
    name: 'pacekeeper_state_readable',
    help: '1 if the database is readable.',
    samples: [{ labels: {}, value }],
  });
  try {
    return [readable(1), ...(await source.measure())];
  } catch (error) {
    log.warn(`Reading the metrics from the databases failed: ${error instanceof Error ? error.message : error}`);
    return [readable(0)];
  }
}
