import type { ServeResults } from './bench-serve.ts';
import { renderTable, whole } from './markdown.ts';
import type { PartReport } from './part-report.ts';

/** What answering webhooks takes. */
export function reportServe({ sizes, channels, alone, held }: ServeResults): PartReport {
  const throughput = renderTable(
    ['POST', 'requests/s', 'bare route', 'ratio', 'single runs'],
    channels.map(({ channel, ours, baseline, ratio }) => [
      `\`/webhooks/${channel}\``,
      ...[whole(ours), whole(baseline), ratio.median.toFixed(2)],
      `${ratio.lowest.toFixed(2)} to ${ratio.highest.toFixed(2)}`,
    ]),
  );
  const waits = renderTable(
    ['`pacekeeper serve`, milliseconds of a request', 'median', '99 of 100'],
    [
      ['alone', alone.medianMs.toFixed(1), alone.p99Ms.toFixed(1)],
      [
        'while another process holds a write transaction on `state.sqlite`',
        held.medianMs.toFixed(1),
        held.p99Ms.toFixed(1),
      ],
    ],
  );
  const figures = `${throughput}

Each request is signed, has an id of its own and is on the disk before it is answered; the bare route is fastify's, reads the body and
looks at nothing. ${whole(sizes.requests)} requests over ${sizes.connections} connections; medians of ${sizes.runs} interleaved pairs, every one of new processes; the ratio is the
median of each pair's own.

${waits}

The whole program, which handles what arrives at the same time.`;
  return { figures, targets: [] };
}
