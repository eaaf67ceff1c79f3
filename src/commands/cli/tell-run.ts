import type { ReportResult } from '../../language/results/report-result.ts';
import { renderReportJson } from '../../views/report/render-json.ts';
import { renderReportText } from '../../views/report/render-text.ts';
import type { CommandApp } from './command.ts';
import { textLayout } from './output.ts';
import { tellFailures } from './started-by.ts';

export function tellRun(
  app: Pick<CommandApp, 'env' | 'output' | 'settings' | 'log'>,
  format: 'table' | 'json' | 'html',
  result: ReportResult,
  renderText = renderReportText,
): number {
  const { output, settings } = app;
  const log = app.log.with({ run: result.run.id });
  if (format === 'html') {
    // Not everybody opens the page, so the log shows the failures too.
    for (const failure of result.failures) log.warn(failure);
  } else {
    tellFailures(app, settings, log, result.failures);
    const text = format === 'json' ? `${renderReportJson(result)}\n` : renderText(result, textLayout(output));
    output.stdout.write(text);
  }
  return result.run.exitCode;
}
