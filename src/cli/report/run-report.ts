import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import type { Settings } from '../../config/settings.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { ASKED_TO_STOP } from '../../domain/stop.ts';
import { warehousePath } from '../../forgotten-past.ts';
import { leftAsItWas } from '../../jobs/left-as-it-was.ts';
import type { Afterwards } from '../../jobs/recorded-run.ts';
import { report } from '../../jobs/report.ts';
import { createClock } from '../../system-time.ts';
import { type ChoiceOptions, chooseInputs } from '../choose-inputs.ts';
import type { CommonOptions } from '../common-options.ts';
import type { Process } from '../process.ts';
import { runJob } from '../run-job.ts';
import { shownPath } from '../shown-path.ts';
import type { WaitOptions } from '../wait-option.ts';
import type { WrittenPage } from './write-report-page.ts';

export interface ReportCommandOptions extends CommonOptions, ChoiceOptions, WaitOptions {
  readonly customer?: readonly CustomerId[];
  readonly dryRun?: boolean;
  readonly extract: boolean;
  readonly format: 'table' | 'json' | 'html';
}

/** The report command. Answers with the exit code. */
export async function runReport(options: ReportCommandOptions, process: Process): Promise<number> {
  const { folder, env, output } = process;
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const inputs = await chooseInputs(settings, options, clock, output);
  const about = { command: 'pacekeeper report', format: options.format, wait: options.wait };
  let written: WrittenPage | undefined;
  const afterwards: Afterwards = async (app) => {
    if (app.stop.aborted) return { failure: unwrittenByStop(settings), stopped: true };
    // What draws charts takes longer to load than a run needs to begin.
    const { writeReportPage } = await import('./write-report-page.ts');
    written = await writeReportPage(app);
    return written.failure === undefined ? undefined : { failure: app.redact(written.failure), stopped: false };
  };
  const { customer: customers = [], dryRun = false, extract, query = [] } = options;
  const named = query.length > 0;
  const code = await runJob(settings, clock, process, about, (app) =>
    report(app, inputs, { customers, dryRun, noExtract: !extract, named, afterwards }),
  );
  const page = written?.page;
  if (options.format === 'html' && written !== undefined && page !== undefined) {
    // A page is for a file or a pipe; a terminal is told where it lies.
    output.stdout.write(output.stdout.isTTY === true ? `${written.path}\n` : page);
  }
  if (options.format === 'table' && written !== undefined && written.failure === undefined) {
    const warehouse = warehousePath(settings.paths.data);
    const toQuery = existsSync(warehouse) ? ` To query: ${shownPath(folder, warehouse)}.` : '';
    output.stdout.write(`To read: ${shownPath(folder, written.path)}.${toQuery}\n`);
  }
  return code;
}

function unwrittenByStop({ paths }: Settings): string {
  return `report.html ${leftAsItWas(join(paths.data, 'report.html'))}, because ${ASKED_TO_STOP}.`;
}
