import type { App } from '../app.ts';
import { instantText } from '../domain/civil-date.ts';
import { InputError } from '../domain/errors.ts';
import type { Frozen } from '../domain/frozen.ts';
import { isMade } from '../domain/made-change.ts';
import { ASKED_TO_STOP } from '../domain/stop.ts';
import { warehousePath } from '../forgotten-past.ts';
import { isGivenUp } from '../http/classify-failure.ts';
import type { ReportResult } from '../report/report-result.ts';
import { recordRunAccounts } from '../store/run-account-table.ts';
import { recordRunResult } from '../store/run-result-table.ts';
import { endRun, readOfRun, startRun } from '../store/run-table.ts';
import { shownTarget } from '../views/pacing.ts';
import { accountOutcomes } from './account-outcomes.ts';
import { leftAsItWas } from './left-as-it-was.ts';
import { proveAfter, proveBefore } from './prove-record.ts';
import { publishAfterwards } from './publish-files.ts';
import { writeRunArtefact } from './run-artefact.ts';
import { noteWidened } from './widened-settings.ts';

/** What a run did, before it is written down. */
export type Work = Omit<ReportResult, 'run' | 'frozen'>;

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

/** Why something was not made. */
export interface NotMade {
  /** One sentence. */
  readonly failure: string;
  /** The run was asked to stop. */
  readonly stopped: boolean;
}

/**
 * Makes something of a run besides, such as a page, when its record is written. Answers with why it could not; undefined when it
 * could.
 */
export type Afterwards = (app: App) => Promise<NotMade | undefined>;

/**
 * Runs `work` with a record of it from the beginning to the end, publishes what the tables hold then, has `afterwards` make what
 * is made of it, and writes the result into a file of its own. However it ends the record says so; what fails is told with the
 * rest. Asked to stop before the end, it was stopped.
 */
export async function recordedRun(
  app: App,
  about: { readonly command: ReportResult['run']['command']; readonly dryRun: boolean },
  work: (runId: bigint, app: App) => Promise<Work>,
  afterwards: Afterwards = async () => undefined,
): Promise<ReportResult> {
  const { state, clock, settings, target } = app;
  const startedMs = clock.now();
  const { mode } = settings.automation;
  const runId = await startRun(state.db, {
    ...about,
    target,
    targetKind: settings.target,
    mode,
    nowMs: startedMs,
  });
  app.onRun?.(runId);
  const resultOf = (work: Work, frozen: Frozen | undefined, recordHead?: string): ReportResult => {
    const [startedAt, endedAt] = [instantText(startedMs), instantText(clock.now())];
    const ended = { startedAt, endedAt, operations: operationsOf(app), recordHead, exitCode: exitCodeOf(work) };
    return { ...work, frozen, run: { id: runId, ...about, target, mode, ...ended } };
  };
  try {
    const told = toldOf(app, runId);
    const proof = await proveBefore(told, runId, !about.dryRun);
    if (!about.dryRun) await noteWidened(told, runId);
    const worked = await work(runId, told);
    // Reading changes no budget, frozen or not.
    const frozen = about.command === 'extract' ? undefined : await app.killSwitch.standing();
    const { head, failures } = await proveAfter(told, runId, proof, !about.dryRun);
    const done = { ...worked, failures: [...failures, ...worked.failures] };
    await end(app, runId, done, app.stop.aborted);
    // What reading has kept in memory is of no use to publishing, which reads the file anew.
    state.connection.pragma('shrink_memory');
    const stopped = app.stop.aborted;
    const unpublished = stopped ? unpublishedByStop(app) : await publishAfterwards(app);
    const published = withFailure(resultOf(done, frozen, head), unpublished);
    // What is made of the run reads its record.
    if (unpublished !== undefined) await end(app, runId, published, stopped);
    const notMade = await afterwards(app);
    const made = withFailure(published, notMade?.failure);
    const result = withFailure(made, writeRunArtefact(settings.paths.data, made));
    if (result.failures.length > published.failures.length) {
      await end(app, runId, result, stopped || notMade?.stopped === true);
    }
    return result;
  } catch (error) {
    // Where even this cannot be written the next run records that this one died; the reason must not be lost to it here.
    await endFailed(app, runId, error).catch(() => undefined);
    const failed = resultOf({ ...NO_WORK, failures: [app.redact(messageOf(error))] }, undefined);
    const exitCode = error instanceof InputError ? 2 : 1;
    writeRunArtefact(settings.paths.data, { ...failed, run: { ...failed.run, exitCode } });
    throw error;
  }
}

function withFailure(result: ReportResult, failure: string | undefined): ReportResult {
  if (failure === undefined) return result;
  const failures = [...result.failures, failure];
  return { ...result, failures, run: { ...result.run, exitCode: exitCodeOf({ failures }) } };
}

function exitCodeOf({ failures }: Pick<Work, 'failures'>): 0 | 1 {
  return failures.length === 0 ? 0 : 1;
}

function unpublishedByStop({ settings }: App): string {
  const left = leftAsItWas(warehousePath(settings.paths.data));
  return `warehouse.sqlite ${left}, because ${ASKED_TO_STOP}. The next run publishes, or pacekeeper publish now.`;
}

/** The program whose every line says of which run it is. */
function toldOf(app: App, runId: bigint): App {
  const log = app.log.with({ run: runId });
  const { ads, graph, container } = app;
  return {
    ...{ ...app, log },
    ads: ads && { ...ads, log },
    graph: graph && { ...graph, log },
    container: container && { ...container, log },
  };
}

async function endFailed(app: App, runId: bigint, error: unknown): Promise<void> {
  await endRun(app.state.db, runId, {
    state: error instanceof InputError ? 'refused' : isGivenUp(error) ? 'stopped' : 'failed',
    nowMs: app.clock.now(),
    // What was read before it failed is in the tables.
    ...(await readOfRun(app.state.db, runId)),
    budgetChanges: 0,
    messagesSent: 0,
    operations: operationsOf(app),
    failures: [app.redact(messageOf(error))],
  });
}

/** `stopped`: what failed was left because the run was asked to stop, if anything was. */
async function end(app: App, runId: bigint, work: Work, stopped: boolean): Promise<void> {
  const changed = [...work.settled, ...work.decisions].filter(isMade);
  await app.state.db.transaction().execute(async (trx) => {
    await recordRunAccounts(trx, runId, accountOutcomes(work.accounts, work.slices));
    await recordRunResult(trx, runId, {
      notes: work.notes.map(app.redact),
      targets: (work.pacing ?? []).map((target) => shownTarget(target, undefined)),
    });
    await endRun(trx, runId, {
      state: work.failures.length === 0 ? 'done' : stopped ? 'stopped' : 'failed',
      nowMs: app.clock.now(),
      accounts: work.accounts.length,
      rowsRead: work.slices.reduce((sum, { rows }) => sum + rows, 0n),
      budgetChanges: changed.length,
      messagesSent: work.messages.filter(({ state }) => state === 'accepted').length,
      operations: operationsOf(app),
      failures: work.failures,
    });
  });
}

function operationsOf({ ads }: App): number {
  return ads?.operations.count ?? 0;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
