import type { App } from '../app.ts';
import { instantText } from '../domain/civil-date.ts';
import { InputError } from '../domain/errors.ts';
import { changedBudget } from '../report/describe-results.ts';
import type { ReportResult } from '../report/report-result.ts';
import { recordRunAccounts } from '../store/run-account-table.ts';
import { endRun, readOfRun, startRun } from '../store/run-table.ts';
import { accountOutcomes } from './account-outcomes.ts';
import { publishAfterwards } from './publish-files.ts';

/** What a run did, before it is written down. */
export type Work = Omit<ReportResult, 'run'>;

/** A run that did nothing, for those that do little. */
export const NO_WORK: Work = {
  ...{
    notes: [],
    accounts: [],
    slices: [],
    totals: [],
    rules: [],
    decisions: [],
    settled: [],
    messages: [],
    failures: [],
  },
};

/**
 * Runs `work` with a record of it from the beginning to the end, and publishes what the tables hold then. However it ends
 * the record says so; what fails is told with the rest.
 */
export async function recordedRun(
  app: App,
  about: { readonly command: ReportResult['run']['command']; readonly dryRun: boolean },
  work: (runId: bigint) => Promise<Work>,
): Promise<ReportResult> {
  const { state, clock, settings, target } = app;
  const startedMs = clock.now();
  const { mode } = settings;
  const runId = await startRun(state.db, { ...about, target, mode, nowMs: startedMs });
  try {
    const done = await work(runId);
    const failures = [...done.failures];
    await end(app, runId, done);
    // What reading has kept in memory is of no use to publishing, which reads the file anew.
    state.connection.pragma('shrink_memory');
    const unpublished = await publishAfterwards(app);
    if (unpublished !== undefined) {
      failures.push(unpublished);
      await end(app, runId, { ...done, failures });
    }
    const exitCode = failures.length === 0 ? 0 : 1;
    const [startedAt, endedAt] = [instantText(startedMs), instantText(clock.now())];
    return {
      ...done,
      failures,
      run: { id: runId, ...about, target, mode, startedAt, endedAt, operations: operationsOf(app), exitCode },
    };
  } catch (error) {
    // Where even this cannot be written the next run records that this one died; the reason must not be lost to it here.
    await endFailed(app, runId, error).catch(() => undefined);
    throw error;
  }
}

async function endFailed(app: App, runId: bigint, error: unknown): Promise<void> {
  await endRun(app.state.db, runId, {
    state: error instanceof InputError ? 'refused' : 'failed',
    nowMs: app.clock.now(),
    // What was read before it failed is in the tables.
    ...(await readOfRun(app.state.db, runId)),
    budgetChanges: 0,
    messagesSent: 0,
    operations: operationsOf(app),
    failures: [messageOf(error)],
  });
}

async function end(app: App, runId: bigint, work: Work): Promise<void> {
  const changed = [...work.settled, ...work.decisions].filter(changedBudget);
  await recordRunAccounts(app.state.db, runId, accountOutcomes(work.accounts, work.slices));
  await endRun(app.state.db, runId, {
    state: work.failures.length === 0 ? 'done' : 'failed',
    nowMs: app.clock.now(),
    accounts: work.accounts.length,
    rowsRead: work.slices.reduce((sum, { rows }) => sum + rows, 0n),
    budgetChanges: changed.length,
    messagesSent: work.messages.filter(({ state }) => state === 'accepted').length,
    operations: operationsOf(app),
    failures: work.failures,
  });
}

function operationsOf({ ads }: App): number {
  return ads?.operations.count ?? 0;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
