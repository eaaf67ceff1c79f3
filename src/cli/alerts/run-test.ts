import { besideApp } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import type { AlertSeverity } from '../../domain/channel.ts';
import { testAlerts } from '../../jobs/test-alerts.ts';
import { unknownInRoutes } from '../../jobs/unknown-names.ts';
import { renderTested, renderTestedJson } from '../../report/render-delivery.ts';
import { createClock, systemPauses } from '../../system-time.ts';
import type { CommonOptions } from '../common-options.ts';
import { openLog } from '../open-log.ts';
import { textLayout } from '../output.ts';
import { type PersonOptions, personOf } from '../person.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';

export interface TestCommandOptions extends CommonOptions, Pick<PersonOptions, 'by'> {
  readonly to?: string;
  readonly severity: AlertSeverity;
  readonly format: 'table' | 'json';
}

/** The alerts test command. Answers with the exit code: a failure when somebody could not be reached. */
export async function runTest(options: TestCommandOptions, process: Process): Promise<number> {
  const { folder, env, output } = process;
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const log = await openLog(output, settings, clock);
  const wanted = { to: options.to, severity: options.severity, by: personOf(options, process) };
  const tested = await besideApp(settings, { clock, pauses: systemPauses, log }, async (app) => {
    for (const unknown of await unknownInRoutes(app)) log.warn(unknown);
    return testAlerts(app, wanted);
  });
  const text = options.format === 'json' ? `${renderTestedJson(tested)}\n` : renderTested(tested, textLayout(output));
  output.stdout.write(text);
  return tested.every(({ accepted }) => accepted) ? EXIT.done : EXIT.failed;
}
