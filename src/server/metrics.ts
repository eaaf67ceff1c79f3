import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Measure } from './page-source.ts';
import { declaredPath } from './paths.ts';

/** What is counted of this process, and written together with what the databases say. */
export interface Metrics {
  /** `route` is one of ours, never what was sent. */
  answered(request: {
    readonly route: string;
    readonly method: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  /** The text format of Prometheus, version 0.0.4. */
  text(measures: readonly Measure[]): Promise<string>;
  readonly contentType: string;
}

/** `countWaiting` as the server's: throws when it cannot be told. */
export function createMetrics(countWaiting: () => number): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'pacekeeper_http_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['route', 'method', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'pacekeeper_http_request_duration_seconds',
    help: 'How long answers took.',
    labelNames: ['route'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  });
  new Gauge({
    name: 'pacekeeper_webhook_events_waiting',
    help: 'What arrived by webhook and is not handled; NaN when it cannot be told.',
    registers: [registry],
    collect() {
      this.set(waitingOrNaN(countWaiting));
    },
  });
  return {
    contentType: registry.contentType,
    answered({ route, method, status, seconds }) {
      requests.inc({ route, method, status });
      durations.observe({ route }, seconds);
    },
    text: async (measures) => `${await registry.metrics()}\n${await textOf(measures)}`,
  };
}

/** Every answer of the server counts, by its route and never by what was sent. */
export function countAnswers(server: FastifyInstance, metrics: Metrics): void {
  server.addHook('onResponse', async (request, reply) => {
    metrics.answered({
      ...{ route: declaredPath(request.url.split('?')[0] ?? '') ?? 'other', method: request.method },
      ...{ status: reply.statusCode, seconds: reply.elapsedTime / 1000 },
    });
  });
}

/** A registry of its own each time: a label that is gone leaves nothing behind. */
function textOf(measures: readonly Measure[]): Promise<string> {
  const registry = new Registry();
  for (const { name, help, samples } of measures) {
    // Without one it would be told as 0, of nothing in particular.
    if (samples.length === 0) continue;
    const labelNames = [...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))];
    const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
    for (const { labels, value } of samples) gauge.set(labels, value);
  }
  return registry.metrics();
}

function waitingOrNaN(countWaiting: () => number): number {
  try {
    return countWaiting();
  } catch {
    return Number.NaN;
  }
}
