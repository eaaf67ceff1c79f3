import { existsSync } from 'node:fs';
import { type AppDeps, open } from '../../app.ts';
import { liveAreas } from '../../config/live-areas.ts';
import type { Settings } from '../../config/settings.ts';
import { scheduleStanding } from '../../dashboard/status/schedule-standing.ts';
import type { Frozen } from '../../domain/frozen.ts';
import type { StateApp } from '../../engine/app.ts';
import { frozenByFile, killSwitch } from '../../engine/budgets/kill-switch.ts';
import { type Engine, engineOf, refuseForgotten } from '../../engine/folder/engine.ts';
import { queryCoverage } from '../../engine/read/coverage.ts';
import { sunsetOf } from '../../language/gaql/catalogue/sunset.ts';
import { lostRows } from '../../storage/records/alerts/lost-rows.ts';
import { countOutbox } from '../../storage/records/alerts/outbox-table.ts';
import { openIntents } from '../../storage/records/budgets/intent-table.ts';
import { openProposals } from '../../storage/records/budgets/proposal-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { lastReport, pastRuns } from '../../storage/records/runs/run-history.ts';
import { storedQueries } from '../../storage/warehouse/query-table.ts';
import { STATUS, type StatusResult, type WorkStanding } from '../../views/status.ts';
import type { CommandApp } from '../cli/command.ts';
import type { ListedOptions } from '../cli/common-options.ts';
import { listingIn } from '../cli/print-listing.ts';

export async function runStatus(app: CommandApp, { format }: ListedOptions): Promise<void> {
  const { settings, output, redact } = app;
  const found = await status(settings, app);
  output.stdout.write(listingIn(format, STATUS, found, output, redact));
}

const RUNS_SHOWN = 3;
const MAY_BE_OUT_MS = 7 * 86_400_000;

const NOTHING_YET: WorkStanding = {
  lastReport: undefined,
  runs: [],
  coverage: [],
  orphanedTables: [],
  openChanges: 0,
  proposals: [],
  alerts: { waiting: 0, mayBeOut: 0, lost: 0 },
};

async function status(settings: Settings, deps: Pick<AppDeps, 'clock' | 'log'>): Promise<StatusResult> {
  const engine = await engineOf(settings);
  await refuseForgotten(engine);
  const { target, automation, paths } = settings;
  const ads =
    target === 'live' ? (liveAreas(settings).ads?.url ?? 'no advertising interface') : `seed ${settings.sandbox.seed}`;
  return {
    target: `${target} (${settings.sandbox.market === undefined || target === 'live' ? ads : 'replayed market'})`,
    mode: automation.mode,
    dataFolder: paths.data,
    version: settings.ads.version,
    sunset: sunsetOf(settings.ads.version, deps.clock.now()),
    schedule: scheduleStanding(settings, deps.clock.now()),
    frozen: await frozenNow(engine, settings, deps),
    workers: await engine.cluster?.workers(),
    work: (await engine.hasRecords())
      ? await open(settings, deps, { what: 'state', readOnly: true }, workStanding)
      : NOTHING_YET,
  };
}

async function workStanding(app: StateApp): Promise<WorkStanding> {
  const { db } = app.state;
  const proposals = await openProposals(db, app.clock.now());
  const outbox = await countOutbox(db, app.clock.now() - MAY_BE_OUT_MS);
  return {
    lastReport: await lastReport(db),
    runs: await pastRuns(db, { limit: RUNS_SHOWN }),
    coverage: await queryCoverage(app),
    orphanedTables: await orphanedTables(db, app.settings.paths.queries),
    openChanges: (await openIntents(db)).length,
    proposals: proposals.map(({ code }) => code),
    alerts: {
      waiting: outbox.pending + outbox.sending,
      mayBeOut: outbox.unknown,
      lost: (await lostRows(db)).length,
    },
  };
}

async function orphanedTables(db: StateDb, folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const { filesIn, nameOf, QUERY_ENDINGS } = await import('../../engine/load-inputs.ts');
  const files = new Set(filesIn(folder, QUERY_ENDINGS, 'queries').map(nameOf));
  return (await storedQueries(db)).map(({ name }) => name).filter((name) => !files.has(name));
}

export async function frozenNow(
  engine: Engine,
  settings: Settings,
  deps: Pick<AppDeps, 'clock' | 'log'>,
): Promise<Frozen | undefined> {
  const { data } = settings.paths;
  if (!(await engine.hasRecords())) return frozenByFile(data);
  return open(settings, deps, { what: 'state', readOnly: true }, (app) => killSwitch(app, data).standing());
}
