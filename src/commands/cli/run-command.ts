import { settingsFolder } from '../../config/folders.ts';
import { readSettings } from '../../config/read-settings.ts';
import { readEnvironment } from '../../config/setting-tree.ts';
import type { Settings } from '../../config/settings.ts';
import { unknownVariables, unknownWords } from '../../config/unknown-variables.ts';
import { withRetries } from '../../config/with-retries.ts';
import { whileSomebodyWaits } from '../../domain/connection-settings.ts';
import { BusyError, InputError, InvariantError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { createClock, systemPauses } from '../../engine/process-time.ts';
import { createRedact } from '../../services/http/redact.ts';
import type { Command, CommandApp } from './command.ts';
import type { CommonOptions, VerboseOptions, WaitOptions } from './common-options.ts';
import { openLog } from './open-log.ts';
import { EXIT } from './print-error.ts';
import { type Process, stopSignal } from './process.ts';
import { isOfSchedule } from './started-by.ts';

type Given = CommonOptions & WaitOptions & VerboseOptions & { readonly dryRun?: boolean };

export async function runCommand(command: Command, name: string, options: Given, process: Process): Promise<number> {
  const run = await command.load?.();
  const app = command.settings === undefined ? await appFor(command, name, options, process) : process;
  const work = async (): Promise<number> => {
    for (;;) {
      try {
        const code = await run?.(app as never, options as never);
        return typeof code === 'number' ? code : EXIT.done;
      } catch (error) {
        if (!options.waitForRun || !(error instanceof BusyError)) throw error;
        const { followRun } = await import('../../engine/follow-run.ts');
        const code = await followRun(app as CommandApp, error);
        if (code !== undefined) return code;
      }
    }
  };
  // The schedule sends the heartbeats of its jobs. A dry run proves nothing to a monitor.
  if (!command.hasHeartbeat || options.dryRun || isOfSchedule(process)) return work();
  const { withHeartbeat } = await import('./heartbeat.ts');
  return withHeartbeat(app as CommandApp, command.name, work);
}

async function appFor(command: Command, name: string, options: Given, process: Process): Promise<CommandApp> {
  const { isRun = false, isStoppable = isRun } = command;
  const opens = typeof command.opens === 'function' ? command.opens(options as never) : command.opens;
  const environment = readEnvironment(settingsFolder(process.folder, options), process.env);
  const read = await readSettings(process.folder, options, environment);
  if (command.needsFiles) refuseDatabase(read, command.name);
  // A person waits for the answer, so the default retries are fewer and faster.
  const settings = opens?.what === 'areas' ? withRetries(read, whileSomebodyWaits) : read;
  const clock = createClock(settings.startAtMs);
  const { log, ...run } = isRun
    ? await runDeps(settings, clock, process, options.verbose === true || isOfSchedule(process))
    : { log: await openLog(process.output, settings, clock) };
  // The schedule has said this for its jobs.
  if (!isOfSchedule(process)) {
    for (const { found, nextStep } of settings.folderNotes) log.warn(`${found} ${nextStep}`);
    for (const name of unknownVariables(environment)) log.warn(unknownWords(name));
  }
  const stop = isStoppable ? stopSignal(process, log) : new AbortController().signal;
  const deps = { clock, pauses: systemPauses, log, stop };
  return {
    ...process,
    ...deps,
    settings,
    environment,
    redact: createRedact(settings.secrets),
    open: async (job) => {
      if (opens === undefined) throw new InvariantError(`${name} opens nothing.`);
      const { open, watchFreeze } = await import('../../app.ts');
      const lock = opens.lock ? name : undefined;
      // Before the lock, because a run of another data folder can hold it.
      const endWatch = lock === undefined ? undefined : watchFreeze(settings, deps);
      try {
        return await open(
          settings,
          { ...deps, ...run, waitMs: options.wait, followsRun: options.waitForRun },
          { ...opens, lock },
          job as never,
        );
      } finally {
        await endWatch?.();
      }
    },
  };
}

async function runDeps(settings: Settings, clock: Clock, process: Process, isFull: boolean) {
  const [{ openProgress }, { noteRunOfTick }, { TICK_VARIABLE }] = await Promise.all([
    import('./progress.ts'),
    import('../../engine/schedule/note-run-of-tick.ts'),
    import('../../engine/schedule/this-process.ts'),
  ]);
  const tick = process.env[TICK_VARIABLE];
  return {
    ...(await openProgress(settings, clock, process, isFull)),
    onRun: (runId: bigint) => void (tick && noteRunOfTick(settings.paths.data, tick, runId)),
  };
}

/** Throws `InputError` if the records are in PostgreSQL, for a command that needs them in files. */
export function refuseDatabase({ store }: Settings, command: string): void {
  if (store.url === undefined) return;
  throw new InputError(`pacekeeper ${command} does not work with PostgreSQL yet.`, {
    nextStep: 'docs/scale-out.md says what to use instead. Without store.url, pacekeeper uses files.',
  });
}
