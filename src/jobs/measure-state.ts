import type { StateApp } from '../app.ts';
import { killSwitch } from '../budgets/kill-switch.ts';
import { instantText } from '../domain/civil-date.ts';
import type { Measure } from '../server/page-source.ts';
import { headText, recordHead } from '../store/record-head.ts';
import { type Counts, stateCounts } from '../store/state-counts.ts';
import { queryCoverage } from './coverage.ts';

/** What `/metrics` tells of the databases. */
export async function measureState({ state, settings, clock }: StateApp): Promise<Measure[]> {
  const covered = await queryCoverage({ state, clock });
  const complete = covered.flatMap(({ query, completeUntil }) =>
    completeUntil === undefined ? [] : [{ labels: [query], value: Date.parse(completeUntil) / 1000 }],
  );
  const counts = await stateCounts(state.db, instantText(clock.now()));
  const frozen = await killSwitch({ state, clock }, settings.paths.data).frozen();
  const head = await recordHead(state.db);
  const headInfo: Counts = [{ labels: [headText(head)], value: 1 }];
  const is = (value: number): Counts => [{ labels: [], value }];
  return [
    measure('runs', 'Runs that were recorded.', counts.runs, 'command', 'state'),
    measure('last_run_timestamp_seconds', 'When the newest run of the command began.', counts.lastRun, 'command'),
    measure('last_success_timestamp_seconds', 'When a run of it last ended well.', counts.lastSuccess, 'command'),
    measure('rows_read', 'Rows that all runs read.', counts.rowsRead),
    measure('budget_changes', 'Budget changes that were decided, by what became of them.', counts.changes, 'state'),
    measure('proposals_open', 'Budget changes that await approval.', counts.proposalsOpen),
    measure('budgets_frozen', '1 while no budget is changed.', is(frozen === undefined ? 0 : 1)),
    measure(
      'record_head_event',
      'The number of the newest event of the record of budget changes.',
      is(Number(head.id)),
    ),
    measure('record_head_info', 'Its head as it is printed elsewhere, in a label.', headInfo, 'head'),
    measure('conditions_firing', 'Conditions that are true.', counts.firing, 'severity'),
    measure('outbox', 'What was to be told, by what became of it.', counts.outbox, 'state'),
    measure(
      'settled_until_timestamp_seconds',
      'The last day up to which every account that was read is complete.',
      complete,
      'query',
    ),
  ];
}

function measure(name: string, help: string, counts: Counts, ...labelNames: readonly string[]): Measure {
  const samples = counts.map(({ labels, value }) => ({
    labels: Object.fromEntries(labelNames.map((label, index) => [label, labels[index] ?? ''])),
    value,
  }));
  return { name: `pacekeeper_${name}`, help, samples };
}
