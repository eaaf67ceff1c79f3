import { watchFreeze } from '../../app.ts';
import type { ScheduledJob } from '../../config/settings.ts';
import { instantText, minuteText } from '../../domain/civil-date.ts';
import { unreachable } from '../../domain/errors.ts';
import { engineOf } from '../../engine/folder/engine.ts';
import { createClock, pauseUnless } from '../../engine/process-time.ts';
import type { Claim } from '../../engine/schedule/claim-due.ts';
import { createDaemon, type Daemon, type EndedTick, type RunningJob } from '../../engine/schedule/daemon.ts';
import { type LeaseHolder, takeLease } from '../../engine/schedule/lease.ts';
import { openScheduleFile, type ScheduleFile, schedulePath } from '../../engine/schedule/schedule-file.ts';
import { fateOf, processHere, TICK_VARIABLE, thisProcess } from '../../engine/schedule/this-process.ts';
import { type CommonOptions, pathArgs } from '../cli/common-options.ts';
import { EXIT, tellError } from '../cli/print-error.ts';
import type { Process } from '../cli/process.ts';
import { type KeptWatch, keepWatch } from '../watch/keep-watch.ts';
import { isDayMissing } from './catch-up.ts';
import type { ScheduleOptions } from './schedule-command.ts';
import { tellMonitor } from './tell-monitor.ts';
import { findRun, tellProgress } from './tell-progress.ts';
import { showJobs, type WatchedSettings, watchSettings } from './watch-settings.ts';

export async function runSchedule(process: Process, options: ScheduleOptions & CommonOptions): Promise<number> {
  const watched = await watchSettings(options, process, ({ startAtMs }) => createClock(startAtMs));
  const path = schedulePath(watched.settings.paths.data);
  const file = openScheduleFile(path);
  const endWatch = watchFreeze(watched.settings, watched);
  try {
    const self = thisProcess();
    const lease = takeLease(file, self, (other) => fateOf(other, self), watched.clock.now());
    if (lease.kind === 'held') return tellHeld(process, watched, lease.holder);
    if (lease.before !== undefined) watched.log.info(`Took over from ${nameOf(lease.before)}, which has ended.`);
    // In a long process, collected events would fill the memory.
    const keeper = (told?: Told) => keeperOf(file, lease.token, watched, options, process, told);
    if (!options.once) return await keepRunning(keeper(), self.pid, process);
    const told: Told = { ended: [], troubles: 0 };
    return await runOnce(keeper(told), told, process);
  } finally {
    await endWatch();
    file.close();
  }
}

interface Keeper {
  readonly daemon: Daemon;
  readonly watched: WatchedSettings & { readonly clock: { now(): number } };
  settled(): Promise<unknown>;
  /** Undefined for a schedule that runs once. */
  readonly watch: KeptWatch | undefined;
}

interface Told {
  readonly ended: EndedTick<ScheduledJob>[];
  troubles: number;
}

function keeperOf(
  file: ScheduleFile,
  token: number,
  watched: Keeper['watched'],
  options: CommonOptions,
  process: Pick<Process, 'runBeside'>,
  told?: Told,
): Keeper {
  const { clock } = watched;
  const self = thisProcess();
  const monitor = tellMonitor(watched);
  const progress = tellProgress(watched);
  const watch = told ? undefined : keepWatch(process, options, watched.log, () => simulatedNow(watched));
  const deps = () => ({ clock, log: watched.log });
  const daemon = createDaemon<ScheduledJob>({
    file,
    token,
    clock,
    pauseUnless,
    jobs: () => watched.settings.schedule,
    start: (claim) => startJob(claim, token, watched, options, process.runBeside),
    isAlive: (child) => fateOf(child, self) === 'alive',
    isMissing: async (job) => {
      try {
        return await isDayMissing(watched.settings, deps(), job);
      } catch (error) {
        progress.unreadable(job, error);
        return true;
      }
    },
    isOurs: async (job, dueMs) => (await engineOf(watched.settings)).claimTick(job.name, instantText(dueMs)),
    findRun: (runId) => findRun(watched.settings, deps(), runId),
    onMissed: progress.missed,
    onLeft: progress.left,
    onStart: (claim) => {
      progress.begun(claim);
      monitor.begun(claim);
    },
    onEnd: (tick) => {
      told?.ended.push(tick);
      progress.ended(tick);
      monitor.ended(tick);
      if (tick.state === 'failed') watch?.look();
    },
    onTrouble: (error) => {
      if (told) told.troubles += 1;
      progress.trouble(error);
    },
  });
  return { daemon, watched, settled: monitor.settled, watch };
}

function startJob(
  { job, tickId }: Claim<ScheduledJob>,
  token: number,
  watched: Keeper['watched'],
  options: CommonOptions,
  runBeside: Process['runBeside'],
): RunningJob {
  const env = {
    PACEKEEPER_LOG: watched.logFormat,
    [TICK_VARIABLE]: `${tickId}.${token}`,
    ...simulatedNow(watched),
  };
  const { pid, ...beside } = runBeside(jobArgs(job, options), env);
  return { ...beside, process: pid === undefined ? undefined : processHere(pid) };
}

/** PACEKEEPER_NOW is the start of a clock, so a process beside gets the current simulated time. */
function simulatedNow({ settings, clock }: Keeper['watched']): Readonly<Record<string, string>> {
  return settings.startAtMs === undefined ? {} : { PACEKEEPER_NOW: new Date(clock.now()).toISOString() };
}

/**
 * The only timer of jobs. node-cron checks and explains cron expressions, but cannot schedule the jobs. It stood still for an hour
 * at the autumn change. It also starts nothing that fell due while no process ran. The daemon asks at each beat which due
 * times have passed, so a late beat loses none.
 */
const BEAT_MS = 10_000;

async function keepRunning(keeper: Keeper, pid: number, process: Process): Promise<number> {
  const { daemon, watched } = keeper;
  const stop = whenAsked(process, daemon);
  const jobs = showJobs(watched.settings.schedule, watched.clock.now());
  process.output.stdout.write(`${JSON.stringify({ ready: true, pid, jobs })}\n`);
  const beat = async () => {
    await watched.look();
    await daemon.pass();
  };
  const timer = setInterval(() => void beat(), BEAT_MS);
  await beat();
  const lost = await Promise.race([stop.asked, daemon.lost]);
  clearInterval(timer);
  watched.log.info(lost === undefined ? 'Stop requested. The schedule and its jobs stop.' : LOST[lost]);
  await daemon.stop();
  await Promise.all([keeper.settled(), keeper.watch?.end()]);
  return stop.isAsked() ? EXIT.done : EXIT.failed;
}

const LOST = {
  taken: 'Another process has taken over the schedule. This one stops.',
  moved: 'The schedule file was deleted or moved, so another process may run the schedule. This one stops.',
} as const;

async function runOnce(keeper: Keeper, told: Told, process: Process): Promise<number> {
  const { daemon, watched } = keeper;
  const stop = whenAsked(process, daemon);
  // Renews the lease, because a job can take longer than the lease lasts.
  const timer = setInterval(daemon.renew, BEAT_MS);
  await daemon.pass();
  const lost = await Promise.race([daemon.lost, stop.asked, daemon.idle()]);
  clearInterval(timer);
  if (lost !== undefined) watched.log.warn(LOST[lost]);
  await daemon.stop();
  await keeper.settled();
  const ran = told.ended.map(({ claim, state, exitCode }) => ({
    name: claim.job.name,
    due_at: instantText(claim.dueMs),
    state,
    exit_code: exitCode,
  }));
  const jobs = showJobs(watched.settings.schedule, watched.clock.now());
  process.output.stdout.write(`${JSON.stringify({ ran, jobs })}\n`);
  if (stop.isAsked()) return EXIT.done;
  return lost === undefined && told.troubles === 0 && told.ended.every(({ state }) => state === 'done')
    ? EXIT.done
    : EXIT.failed;
}

function whenAsked({ onStop }: Process, daemon: Daemon): { readonly asked: Promise<void>; isAsked(): boolean } {
  let isAsked = false;
  const asked = new Promise<void>((stop) => {
    onStop(() => {
      isAsked = true;
      onStop(() => daemon.kill());
      stop();
    });
  });
  return { asked, isAsked: () => isAsked };
}

function tellHeld({ output }: Process, { settings, logFormat, clock }: Keeper['watched'], holder: LeaseHolder): number {
  const message = `The schedule of ${settings.paths.data} is already run by ${nameOf(holder)}.`;
  const nextStep = 'Stop that process first, or set another folder with --data-dir.';
  tellError(output, { logFormat, nowMs: clock.now() }, { message, nextStep });
  return EXIT.failed;
}

function nameOf({ pid, host, takenAt }: LeaseHolder): string {
  return `pacekeeper schedule, process ${pid} on ${host}, since ${minuteText(takenAt)}`;
}

const WAIT = ['--wait', '30m'];

export function jobArgs({ job, options }: Pick<ScheduledJob, 'job' | 'options'>, paths: CommonOptions): string[] {
  const places = pathArgs(paths);
  const chosen = [
    ...(options.query ?? []).flatMap((name) => ['--query', name]),
    ...(options.customer ?? []).flatMap((id) => ['--customer', id]),
  ];
  switch (job) {
    case 'report': {
      const flags = [...(options.dryRun ? ['--dry-run'] : []), ...(options.noExtract ? ['--no-extract'] : [])];
      return ['report', ...places, ...WAIT, ...flags, ...chosen];
    }
    case 'extract':
      return ['extract', ...places, ...WAIT, ...(options.resume ? ['--resume'] : []), ...chosen];
    case 'publish': {
      const { to, dir } = options;
      // The `--` is needed, because a folder's name can begin with a dash.
      const target = to === undefined || dir === undefined ? [] : ['--to', to, '--', dir];
      return ['publish', ...places, ...WAIT, ...target];
    }
    case 'deliver':
      return ['alerts', 'deliver', ...places];
    default:
      return unreachable(job);
  }
}
