import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { byChannel, type ChannelConnections } from '../channels/channels.ts';
import type { Settings } from '../config/settings.ts';
import { instantText } from '../domain/civil-date.ts';
import { InputError } from '../domain/errors.ts';
import type { Frozen } from '../domain/frozen.ts';
import { parseJson } from '../domain/parse-json.ts';
import { ASKED_TO_STOP } from '../domain/ports.ts';
import type { AccountResult, ReportResult, SliceResult } from '../language/results/report-result.ts';
import { isGivenUp } from '../services/http/classify-failure.ts';
import { replaceText } from '../storage/files/replace-file.ts';
import { VERIFY_RECORD } from '../storage/records/altered-record.ts';
import { canonicalJson } from '../storage/records/budgets/audit-chain.ts';
import { appendEvent } from '../storage/records/budgets/event-table.ts';
import { headText } from '../storage/records/budgets/record-head.ts';
import { type RunAccountRecord, recordRunAccounts } from '../storage/records/runs/run-account-table.ts';
import { recordRunResult } from '../storage/records/runs/run-result-table.ts';
import {
  endRun,
  lastBounds,
  lastProof,
  noteBounds,
  noteProof,
  type RunEnd,
  readOfRun,
  startRun,
} from '../storage/records/runs/run-table.ts';
import { runTargets } from '../views/pacing.ts';
import { wasMade } from '../views/report/decision-words.ts';
import { renderReportJson } from '../views/report/render-json.ts';
import type { App } from './app.ts';
import { stopWhereUnsound } from './budgets/stop-where-unsound.ts';
import { proveNewEvents, proveWhole, type RecordProof } from './budgets/verify-audit.ts';
import { runFolder, warehousePath } from './folder/folder-paths.ts';
import { runFiles } from './folder/forgotten-past.ts';
import { publishAfterwards } from './publish-files.ts';

export interface Work extends Omit<ReportResult, 'run' | 'frozen'> {
  /** True if the first failure says that a guard refused a person's change. */
  readonly isRefusal?: boolean;
}

export const NO_WORK: Work = {
  notes: [],
  accounts: [],
  slices: [],
  totals: [],
  rules: [],
  decisions: [],
  settled: [],
  messages: [],
  failures: [],
};

export interface Aftermath extends Pick<ReportResult, 'months' | 'needs'> {
  readonly failure?: string | undefined;
  /** True if a stop caused the failure. */
  readonly stopped?: boolean;
}
export type Afterwards = (app: App) => Promise<Aftermath>;

/** Records the run even if `work` fails. Publishes before `afterwards` is called. */
export async function recordedRun(
  app: App,
  about: { readonly command: ReportResult['run']['command']; readonly dryRun: boolean },
  work: (runId: bigint, app: App) => Promise<Work>,
  afterwards: Afterwards = async () => ({}),
): Promise<ReportResult> {
  const { state, clock, settings, target } = app;
  const startedMs = clock.now();
  const { mode } = settings.automation;
  const runId = await startRun(state.db, { ...about, target, targetKind: settings.target, mode, nowMs: startedMs });
  app.onRun?.(runId);
  const resultOf = (work: Work, frozen: Frozen | undefined, recordHead?: string): ReportResult => {
    const run = {
      id: runId,
      ...about,
      target,
      mode,
      startedAt: instantText(startedMs),
      endedAt: instantText(clock.now()),
      operations: operationsOf(app),
      recordHead,
      exitCode: exitCodeOf(work),
    };
    return { ...work, frozen, run };
  };
  try {
    const running = appOfRun(app, runId);
    const proof = await proveBefore(running, runId, !about.dryRun);
    if (!about.dryRun) await noteWidened(running, runId);
    const worked = await work(runId, running);
    // An extraction changes no budget, so a freeze does not matter.
    const frozen = about.command === 'extract' ? undefined : await app.killSwitch.standing();
    const { head, failures } = await proveAfter(running, runId, proof, !about.dryRun);
    const done = { ...worked, failures: [...failures, ...worked.failures] };
    await end(app, runId, done, app.stop.aborted);
    // Frees cached pages, because publishing opens the file again.
    state.releaseMemory();
    const stopped = app.stop.aborted;
    const { failure: unpublished, note } = stopped ? unpublishedByStop(app) : await publishAfterwards(app);
    const notes = note === undefined ? done.notes : [...done.notes, note];
    const published = withFailure(resultOf({ ...done, notes }, frozen, head), unpublished);
    // `afterwards` reads the recorded run, so what the publication says must be recorded first.
    if ((unpublished ?? note) !== undefined) await end(app, runId, published, stopped);
    const { failure, stopped: cutOff = false, ...standing } = await afterwards(app);
    const made = { ...withFailure(published, failure), ...standing };
    const result = withFailure(made, writeRunArtefact(settings.paths.data, made));
    if (result.failures.length > published.failures.length) {
      await end(app, runId, result, stopped || cutOff);
    }
    return result;
  } catch (error) {
    // The original error matters more than a failure of this write.
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

function unpublishedByStop({ settings, state }: App): { readonly failure: string; readonly note?: undefined } {
  const { what, left } = state.warehouse.unpublished(warehousePath(settings.paths.data));
  const failure = `${what} ${left}, because ${ASKED_TO_STOP}. The next run publishes. To publish now, run pacekeeper publish.`;
  return { failure };
}

function appOfRun(app: App, runId: bigint): App {
  const log = app.log.with({ run: runId });
  const { ads, container } = app;
  const channels = byChannel(({ name }) => {
    const connection = app[name as keyof ChannelConnections];
    return connection && { ...connection, log };
  }) as ChannelConnections;
  return {
    ...app,
    ...channels,
    log,
    ads: ads && { ...ads, log },
    container: container && { ...container, log },
  };
}

async function endFailed(app: App, runId: bigint, error: unknown): Promise<void> {
  const stopped = isGivenUp(error) ? 'stopped' : 'failed';
  await endRun(app.state.db, runId, {
    state: error instanceof InputError ? 'refused' : stopped,
    nowMs: app.clock.now(),
    // Rows that were read before the failure are in the tables.
    ...(await readOfRun(app.state.db, runId)),
    budgetChanges: 0,
    messagesSent: 0,
    operations: operationsOf(app),
    failures: [app.redact(messageOf(error))],
  });
}

/** `stopped` is true if a stop caused all failures. */
async function end(app: App, runId: bigint, work: Work, stopped: boolean): Promise<void> {
  const changed = [...work.settled, ...work.decisions].filter(wasMade);
  await app.state.db.transaction().execute(async (trx) => {
    await recordRunAccounts(trx, runId, accountOutcomes(work.accounts, work.slices));
    await recordRunResult(trx, runId, {
      notes: work.notes.map(app.redact),
      targets: runTargets(work),
    });
    await endRun(trx, runId, {
      state: stateOf(work, stopped),
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

function stateOf({ failures, isRefusal = false }: Work, stopped: boolean): RunEnd['state'] {
  if (failures.length === 0) return 'done';
  if (stopped) return 'stopped';
  return isRefusal && failures.length === 1 ? 'refused' : 'failed';
}

function operationsOf({ ads }: App): number {
  return ads?.operations.count ?? 0;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const NOTHING_TO_READ = 'this run had nothing to read for it';

/** The worst slice of an account decides the account's state. */
export function accountOutcomes(
  accounts: readonly AccountResult[],
  slices: readonly SliceResult[],
): readonly RunAccountRecord[] {
  const byAccount = Map.groupBy(slices, (slice) => slice.customerId);
  return accounts.map(({ customerId, failure, failedByStop, leftOut }) => {
    if (leftOut !== undefined) return { customerId, state: 'left_out', reason: leftOut };
    const own = byAccount.get(customerId) ?? [];
    const failed = failure ?? own.find((slice) => slice.failure !== undefined)?.failure;
    if (failed !== undefined) return { customerId, state: failedByStop ? 'stopped' : 'failed', reason: failed };
    const left = own.find((slice) => slice.left !== undefined);
    if (left?.left !== undefined) {
      return { customerId, state: left.leftByStop ? 'stopped' : 'not_reached', reason: left.left };
    }
    if (own.length === 0) {
      return { customerId, state: 'not_reached', code: 'nothing_to_read', reason: NOTHING_TO_READ };
    }
    return { customerId, state: 'read', reason: undefined };
  });
}

const KEPT = 400;

/** Returns the failure as text, or undefined. Only the file's owner can read the file. */
function writeRunArtefact(dataFolder: string, result: ReportResult): string | undefined {
  const folder = runFolder(dataFolder);
  const path = join(folder, `${result.run.id}.json`);
  if (existsSync(path)) return `${path} belongs to another run and was not replaced.`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    replaceText(path, () => `${renderReportJson(result)}\n`, { mode: 0o600 });
    removeOldest(dataFolder);
    return undefined;
  } catch (error) {
    const full = (error as NodeJS.ErrnoException).code === 'ENOSPC';
    const reason = full ? 'the disk is full' : messageOf(error);
    return `${path} could not be written: ${reason}.`;
  }
}

function removeOldest(dataFolder: string): void {
  const newestFirst = runFiles(dataFolder).sort((one, other) => (one < other ? 1 : -1));
  for (const id of newestFirst.slice(KEPT)) rmSync(join(runFolder(dataFolder), `${id}.json`), { force: true });
}

/** Limits from the settings, with amounts in micros. A missing key means no limit. */
type Bounds = Readonly<Record<string, string>>;

const ONLY = 'ads.customer_ids';
const EXCLUDED = 'ads.exclude_customer_ids.';
const MODES = ['propose', 'approve', 'apply'];

function boundsOf({ automation, accounts, ads: { customerIds, excludeCustomerIds } }: Settings): Bounds {
  const totals = [...accounts].flatMap(([id, { dailyTotal, dailyExposure }]) => [
    ...(dailyTotal === undefined ? [] : [[`accounts.${id}.daily_total`, String(dailyTotal)]]),
    ...(dailyExposure === undefined ? [] : [[`accounts.${id}.daily_exposure`, String(dailyExposure)]]),
  ]);
  return Object.fromEntries([
    ['automation.mode', automation.mode],
    ['automation.changes_per_run', String(automation.changesPerRun)],
    ...totals,
    ...(customerIds.length === 0 ? [] : [[ONLY, customerIds.toSorted().join()]]),
    ...excludeCustomerIds.map((id) => [`${EXCLUDED}${id}`, 'excluded']),
  ]);
}

/** If a limit is wider than in the previous run, adds an event to the audit trail. */
export async function noteWidened({ state, settings, clock }: App, runId: bigint): Promise<void> {
  const now = boundsOf(settings);
  await state.db.transaction().execute(async (trx) => {
    const known = await lastBounds(trx, runId);
    await noteBounds(trx, runId, canonicalJson(now));
    if (known === undefined) return;
    const before = parseJson(known) as Bounds;
    const changes = Object.keys(before).filter((name) => isWider(name, before[name], now[name]));
    if (changes.length === 0) return;
    const settings = changes.map((name) => ({ setting: name, before: before[name], now: now[name] ?? null }));
    await appendEvent(trx, { kind: 'settings_widened', actor: 'pacekeeper', detail: { settings } }, clock.now());
  });
}

function isWider(name: string, before = '', now: string | undefined): boolean {
  if (now === undefined) return true;
  if (name === 'automation.mode') return MODES.indexOf(now) > MODES.indexOf(before);
  if (name === ONLY) return now.split(',').some((id) => !before.split(',').includes(id));
  if (name.startsWith(EXCLUDED)) return false;
  return BigInt(now) > BigInt(before);
}

interface ProofBefore extends RecordProof {
  readonly proven: 'new' | 'whole';
}

/** Proves all events once a day, because the stored proof may have been altered. `acts`: a problem freezes budgets. */
async function proveBefore(app: App, runId: bigint, acts: boolean): Promise<ProofBefore> {
  const { state, clock } = app;
  const { head, wholeAt } = await lastProof(state.db, runId);
  const now = instantText(clock.now());
  const isOfToday = wholeAt !== undefined && wholeAt.slice(0, 10) === now.slice(0, 10) && wholeAt <= now;
  const proof: ProofBefore =
    head === undefined || !isOfToday
      ? { ...(await proveWhole(state)), proven: 'whole' }
      : { ...(await proveNewEvents(state, head)), proven: 'new' };
  if (acts) await stopWhereUnsound(app, proof);
  return proof;
}

/** Stores the head of the audit trail only if the trail is valid. */
async function proveAfter(
  app: App,
  runId: bigint,
  before: ProofBefore,
  acts: boolean,
): Promise<{ readonly head: string; readonly failures: readonly string[] }> {
  const { state } = app;
  const wasSound = before.problems.length === 0;
  const after = wasSound ? await proveNewEvents(state, before.head) : before;
  if (after.problems.length === 0) await noteProof(state.db, runId, { head: after.head, proven: before.proven });
  else if (acts && wasSound) await stopWhereUnsound(app, after);
  const head = headText(after.head);
  app.log.step(`Newest event of the record of budget changes (its head): ${head}.`);
  const failures = after.problems.slice(0, 1);
  return { head, failures: failures.map((first) => `Somebody may have altered the record: ${first} ${VERIFY_RECORD}`) };
}
