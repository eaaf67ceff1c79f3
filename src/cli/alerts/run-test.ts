import { testAlerts } from '../../jobs/test-alerts.ts';
import { unknownInRoutes } from '../../jobs/unknown-names.ts';
import { renderTested, renderTestedJson } from '../../report/render-delivery.ts';
import type { CommandApp } from '../command.ts';
import { textLayout } from '../output.ts';
import { personOf } from '../person.ts';
import { EXIT } from '../print-error.ts';
import type { TestOptions } from './alerts-command.ts';

/** The alerts test command: a failure when somebody could not be reached. */
export async function runTest(app: CommandApp<'all'>, options: TestOptions): Promise<number> {
  const { to, severity, format } = options;
  const { output } = app;
  const wanted = { to, severity, by: personOf(options, app) };
  const tested = await app.open(async (opened) => {
    for (const unknown of await unknownInRoutes(opened)) app.log.warn(unknown);
    return testAlerts(opened, wanted);
  });
  output.stdout.write(format === 'json' ? `${renderTestedJson(tested)}\n` : renderTested(tested, textLayout(output)));
  return tested.every(({ accepted }) => accepted) ? EXIT.done : EXIT.failed;
}
