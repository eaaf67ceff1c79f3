import { type App, withApp } from '../app.ts';
import type { Settings } from '../config/settings.ts';
import type { Clock } from '../domain/clock.ts';
import { createRedact } from '../http/redact.ts';
import { renderReportJson } from '../report/render-json.ts';
import { renderReportText } from '../report/render-text.ts';
import type { ReportResult } from '../report/report-result.ts';
import { systemPauses } from '../system-time.ts';
import { createLog, type Output, textLayout } from './output.ts';
import { tellBusy } from './tell-busy.ts';

/** Opens the program, runs a job that ends in a result, and prints it. Answers with the exit code. */
export async function runJob(
  settings: Settings,
  clock: Clock,
  output: Output,
  { command, format }: { readonly command: string; readonly format: 'table' | 'json' },
  job: (app: App) => Promise<ReportResult>,
): Promise<number> {
  const log = createLog(output, createRedact(settings.secrets));
  const outcome = await withApp(settings, { clock, pauses: systemPauses, log }, command, job);
  if (outcome.kind === 'busy') return tellBusy(output, settings.paths.data, outcome.holder);
  const { value } = outcome;
  output.stdout.write(format === 'json' ? `${renderReportJson(value)}\n` : renderReportText(value, textLayout(output)));
  return value.run.exitCode;
}
