import { type App, withApp } from '../app.ts';
import type { Settings } from '../config/settings.ts';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import type { Progress } from '../domain/progress.ts';
import { renderReportJson } from '../report/render-json.ts';
import { renderReportText } from '../report/render-text.ts';
import type { ReportResult } from '../report/report-result.ts';
import { noteRunOfTick } from '../schedule/note-run-of-tick.ts';
import { TICK_VARIABLE } from '../schedule/tick-variable.ts';
import { systemPauses } from '../system-time.ts';
import { openLog } from './open-log.ts';
import { textLayout } from './output.ts';
import type { Process } from './process.ts';
import { liveProgress, progressLines } from './progress/show-progress.ts';
import { tellFailures } from './started-by.ts';
import { stopSignal } from './stop-signal.ts';
import { tellBusy } from './tell-busy.ts';

/**
 * Opens the program, runs a job that ends in a result, and prints it, a page excepted. Asked to end, the job is asked to stop.
 * Answers with the exit code.
 */
export async function runJob(
  settings: Settings,
  clock: Clock,
  process: Process,
  about: { readonly command: string; readonly format: 'table' | 'json' | 'html'; readonly wait?: number | undefined },
  job: (app: App) => Promise<ReportResult>,
): Promise<number> {
  const { command, format, wait: waitMs } = about;
  const { output } = process;
  const { progress, log } = await openProgress(settings, clock, process);
  const tick = process.env[TICK_VARIABLE];
  const deps = {
    ...{ clock, pauses: systemPauses, log, progress, stop: stopSignal(process, log), waitMs },
    onRun: (runId: bigint) => void (tick && noteRunOfTick(settings.paths.data, tick, runId)),
  };
  const outcome = await withApp(settings, deps, command, job);
  if (outcome.kind === 'busy') return tellBusy(output, settings, outcome.holder);
  const { value } = outcome;
  const ofRun = log.with({ run: value.run.id });
  if (format === 'html') {
    // A page is printed by who has it; what failed must be read all the same.
    for (const failure of value.failures) ofRun.warn(failure);
  } else {
    tellFailures(process, settings, ofRun, value.failures);
    output.stdout.write(
      format === 'json' ? `${renderReportJson(value)}\n` : renderReportText(value, textLayout(output)),
    );
  }
  return value.run.exitCode;
}

/** The log of a run, and what shows how far it is: live on a terminal, a line now and then elsewhere. */
async function openProgress(
  settings: Settings,
  clock: Clock,
  { env, output }: Process,
): Promise<{ readonly log: Log; readonly progress: Progress }> {
  const { elapsedMs } = systemPauses;
  const isLive = output.stderr.isTTY === true && env.TERM !== 'dumb' && settings.log.format !== 'json';
  if (!isLive) {
    const log = await openLog(output, settings, clock);
    return { log, progress: progressLines(log, elapsedMs) };
  }
  const live = await liveProgress(output, elapsedMs);
  return { log: await openLog(live.output, settings, clock), progress: live.progress };
}
