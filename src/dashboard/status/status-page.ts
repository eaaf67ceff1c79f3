import { instantText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { pageAt } from '../../domain/pages.ts';
import type { Log } from '../../domain/ports.ts';
import type { WorkersStanding } from '../../domain/workers.ts';
import type { StateApp } from '../../engine/app.ts';
import { killSwitch } from '../../engine/budgets/kill-switch.ts';
import { type Engine, engineOf, refuseForgotten } from '../../engine/folder/engine.ts';
import { queryCoverage } from '../../engine/read/coverage.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { headText, recordHead } from '../../storage/records/budgets/record-head.ts';
import { isBusy } from '../../storage/records/is-busy.ts';
import type { RunProgress } from '../../storage/records/runs/run-history.ts';
import { type Counts, stateCounts } from '../../storage/records/runs/state-counts.ts';
import { type SavedQuestion, savedQuestion } from '../../storage/records/saved-question-table.ts';
import { liveWorkers } from '../../views/text/worker-lines.ts';
import { type CheckedSelect, checkSelect } from '../agents/check-select.ts';
import { type DataStanding, dataStanding, NO_DATA } from '../agents/data-standing.ts';
import type { AskedAct } from '../inbox/acts.ts';
import { effectOf } from '../inbox/effects.ts';
import { type LinkOrder, type LinkReading, linkReading } from '../links/link-reading.ts';
import { liveRun } from '../live/live-run.ts';
import { accountPicture } from './account-picture.ts';
import { makePage } from './make-page.ts';
import { messagePage } from './message-page.ts';
import type { CheckedAct, Measure, PageRequest, RenderedPage } from './page-source.ts';
import { measure, type StatusDeps, scheduleMeasures } from './schedule-standing.ts';

const WAIT_MS = 1000;

const SILENT: Log = { info: () => undefined, step: () => undefined, warn: () => undefined, with: () => SILENT };

export async function statusPage(deps: StatusDeps, request: PageRequest): Promise<RenderedPage> {
  const { path } = request;
  const asked = pageAt(path);
  if (asked === undefined) return notFound(path);
  try {
    const page = await withRecords(deps, async (app) => ({ made: await makePage(app, asked, request) }));
    if (page === undefined) return nothingYet(path);
    const { made } = page;
    if (made === undefined) return notFound(path);
    return typeof made === 'string' ? { status: 200, html: made } : { status: 200, html: '', file: made };
  } catch (error) {
    if (error instanceof InputError) {
      const words = redactTexts([error.message, error.nextStep ?? ''], deps.settings);
      return messagePage({ status: 503, path, title: 'Page not available', sentences: words });
    }
    if (!isBusy(error)) throw error;
    const busy = 'Another program holds the database, or it cannot be reached. Reload the page in a moment.';
    return messagePage({ status: 503, path, title: 'Try again', sentences: [busy] });
  }
}

export async function statusPicture(deps: StatusDeps, customer: CustomerId): Promise<Uint8Array | undefined> {
  return withRecords(deps, (app) => accountPicture(app, customer));
}

export async function statusEffect(deps: StatusDeps, asked: AskedAct): Promise<CheckedAct> {
  const found = await withRecords(deps, (app) => effectOf(app, asked));
  return found ?? { kind: 'gone', reason: NO_RUN };
}

export async function statusQuestion(deps: StatusDeps, id: string): Promise<SavedQuestion | undefined> {
  return withSnapshotIfAny(await engineOf(deps.settings), deps, ({ state }) => savedQuestion(state.db, id));
}

export async function statusLink(deps: StatusDeps, order: LinkOrder): Promise<LinkReading> {
  const found = await withRecords(deps, (app) => linkReading(app, order));
  return found ?? { kind: 'refused', status: 503, problem: NO_RUN.replace(/\.$/, '') };
}

export async function statusDataStanding(deps: StatusDeps): Promise<DataStanding> {
  return (await withRecords(deps, dataStanding)) ?? NO_DATA;
}

export async function statusCheckedSelect(deps: StatusDeps, sql: string): Promise<CheckedSelect> {
  const found = await withRecords(deps, (app) => checkSelect(app, sql));
  return found ?? { kind: 'refused', refused: { code: 'NOTHING_PUBLISHED', reason: NO_RUN } };
}

export async function statusLive(deps: StatusDeps): Promise<RunProgress | undefined> {
  return withSnapshotIfAny(await engineOf(deps.settings), deps, liveRun);
}

export async function statusMeasures(deps: StatusDeps): Promise<readonly Measure[]> {
  const engine = await engineOf(deps.settings);
  const state = (await withSnapshotIfAny(engine, deps, measureState)) ?? [];
  const workers = await engine.cluster?.workers();
  const ofWorkers = workers ? workerMeasures(workers) : [];
  return redactTexts([...state, ...scheduleMeasures(deps), ...ofWorkers], deps.settings);
}

/** The last look into the files of a place. */
const looked = new Map<string, { readonly files: string; readonly hasRecords: boolean }>();

/**
 * Undefined before the first run. Throws `InputError` if the records lack earlier runs. To find that out, each file is
 * opened, which takes longer than many pages. So the files are opened again only after one of them changed.
 */
async function withRecords<Value>(deps: StatusDeps, look: (app: StateApp) => Promise<Value>) {
  const engine = await engineOf(deps.settings);
  const files = engine.filesNow();
  let known = looked.get(engine.place);
  if (known === undefined || known.files !== files) {
    await refuseForgotten(engine);
    known = { files: files ?? '', hasRecords: await engine.hasRecords() };
    if (files !== undefined) looked.set(engine.place, known);
  }
  return known.hasRecords ? withSnapshot(engine, deps, look) : undefined;
}

/** Undefined before the first run. */
async function withSnapshotIfAny<Value>(engine: Engine, deps: StatusDeps, look: (app: StateApp) => Promise<Value>) {
  return (await engine.hasRecords()) ? withSnapshot(engine, deps, look) : undefined;
}

/** All reads in `look` see the same moment. */
async function withSnapshot<Value>(
  engine: Engine,
  deps: StatusDeps,
  look: (app: StateApp) => Promise<Value>,
): Promise<Value> {
  const state = await engine.openSnapshot(WAIT_MS);
  try {
    return await look({ ...deps, log: SILENT, state });
  } finally {
    await state.close();
  }
}

const NO_RUN = 'No run has read data into this data folder.';

function nothingYet(path: string): RenderedPage {
  const next = 'Run pacekeeper report. If it fails, run pacekeeper doctor to check the setup.';
  return messagePage({ status: 200, path, title: 'No data yet', sentences: [NO_RUN, next] });
}

function notFound(path: string): RenderedPage {
  return messagePage({
    status: 404,
    path,
    title: 'No such page',
    sentences: ['It may belong to another data folder.'],
  });
}

function workerMeasures(standing: WorkersStanding): Measure[] {
  const { workers, tasks } = standing;
  const heartbeats = workers.map(({ worker, group, heartbeatAt }) => ({
    labels: [worker, group],
    value: Date.parse(heartbeatAt) / 1000,
  }));
  const counts = tasks.map(({ kind, state, count }) => ({ labels: [kind, state], value: count }));
  return [
    measure('workers_live', 'Workers that are alive.', [{ labels: [], value: liveWorkers(standing) }]),
    measure(
      'worker_heartbeat_timestamp_seconds',
      'Last heartbeat of the worker. Absent after its end, and after an hour without one.',
      heartbeats,
      'worker',
      'group',
    ),
    measure('tasks', 'Tasks of runs, by state: waiting, in_work, or failed in the last day.', counts, 'kind', 'state'),
  ];
}

async function measureState({ state, settings, clock }: StateApp): Promise<Measure[]> {
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
    measure('runs', 'Recorded runs.', counts.runs, 'command', 'state'),
    measure('last_run_timestamp_seconds', 'Start of the newest run of the command.', counts.lastRun, 'command'),
    measure(
      'last_success_timestamp_seconds',
      'When a run of the command last succeeded.',
      counts.lastSuccess,
      'command',
    ),
    measure('rows_read', 'Rows read by all runs.', counts.rowsRead),
    measure('budget_changes', 'Decided budget changes, by state.', counts.changes, 'state'),
    measure('proposals_open', 'Budget changes that await approval.', counts.proposalsOpen),
    measure('budgets_frozen', '1 while budgets are frozen.', is(frozen === undefined ? 0 : 1)),
    measure(
      'record_head_event',
      'The number of the newest event in the record of budget changes.',
      is(Number(head.id)),
    ),
    measure('record_head_info', 'The head of the record, in a label.', headInfo, 'head'),
    measure('conditions_firing', 'Firing conditions.', counts.firing, 'severity'),
    measure('outbox', 'Alert messages, by state.', counts.outbox, 'state'),
    measure(
      'settled_until_timestamp_seconds',
      'The last day that is complete in all read accounts.',
      complete,
      'query',
    ),
  ];
}
