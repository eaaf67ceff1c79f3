import { resolve } from 'node:path';
import { withState } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { InputError } from '../../domain/errors.ts';
import { ASKED_TO_STOP } from '../../domain/stop.ts';
import { publishFiles, publishTo } from '../../jobs/publish-files.ts';
import { createClock, systemPauses } from '../../system-time.ts';
import type { ExportedTable, ExportFormat } from '../../warehouse/export-tables.ts';
import type { CommonOptions } from '../common-options.ts';
import { openLog } from '../open-log.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';
import { shownPath } from '../shown-path.ts';
import { stopSignal } from '../stop-signal.ts';
import { tellBusy } from '../tell-busy.ts';
import type { WaitOptions } from '../wait-option.ts';

export interface PublishCommandOptions extends CommonOptions, WaitOptions {
  readonly to?: ExportFormat;
}

/** The publish command. Answers with the exit code. Throws `InputError` for a format without a folder, or the reverse. */
export async function runPublish(
  dir: string | undefined,
  options: PublishCommandOptions,
  process: Process,
): Promise<number> {
  const { folder, env, output } = process;
  const target = exportTarget(dir, options.to);
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const log = await openLog(output, settings, clock);
  const stop = stopSignal(process, log);
  const deps = { clock, log, pauses: systemPauses, waitMs: options.wait, stop };
  const outcome = await withState(settings, deps, 'pacekeeper publish', async (app) => {
    const published =
      target === undefined
        ? { ...(await publishFiles(app)), written: [] }
        : await publishTo(app, target.format, resolve(folder, target.dir), stop);
    if (await isAskedToStop(stop)) return { ...published, page: undefined };
    const { writeReportPage } = await import('../report/write-report-page.ts');
    return { ...published, page: await writeReportPage(app) };
  });
  if (outcome.kind === 'busy') return tellBusy(output, settings, outcome.holder);
  const { path, tables, written, page } = outcome.value;
  const lines = [`${shownPath(folder, path)}: ${tables.length} tables`, ...written.map((file) => lineOf(folder, file))];
  const failure = page === undefined ? LEFT_BY_STOP : page.failure;
  if (failure !== undefined) log.warn(failure);
  else if (page) lines.push(`${shownPath(folder, page.path)}: the report`);
  output.stdout.write(`${lines.join('\n')}\n`);
  return failure === undefined ? EXIT.done : EXIT.failed;
}

const LEFT_BY_STOP = `What is not named here is as it was, report.html among it, because ${ASKED_TO_STOP}. pacekeeper publish makes all of it anew.`;

/** Writing tables keeps the process from hearing of anything: what was asked meanwhile is heard now. */
async function isAskedToStop(stop: AbortSignal): Promise<boolean> {
  await systemPauses.pause(1);
  return stop.aborted;
}

function exportTarget(dir: string | undefined, format: ExportFormat | undefined) {
  if (format !== undefined && dir !== undefined) return { format, dir };
  if (format !== undefined) {
    throw new InputError(`--to ${format} needs the folder for the files.`, {
      nextStep: `Name it: pacekeeper publish --to ${format} exports.`,
    });
  }
  if (dir !== undefined) {
    throw new InputError(`The folder ${dir} is for files of a format, and none is named.`, {
      nextStep: `Name it: pacekeeper publish --to csv ${dir}.`,
    });
  }
  return undefined;
}

function lineOf(folder: string, { file, rows }: ExportedTable): string {
  return `${shownPath(folder, file)}: ${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`;
}
