import { besideApp, besideState } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { createRedact } from '../../http/redact.ts';
import { deliverAlerts } from '../../jobs/deliver-alerts.ts';
import { alertsNow } from '../../jobs/look-at-alerts.ts';
import { unknownInRoutes } from '../../jobs/unknown-names.ts';
import { renderAlerts, renderAlertsJson } from '../../report/render-alerts.ts';
import { renderDelivery, renderDeliveryJson } from '../../report/render-delivery.ts';
import { createClock, systemPauses } from '../../system-time.ts';
import type { CommonOptions } from '../common-options.ts';
import { createLog, textLayout } from '../output.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';

export interface DeliverCommandOptions extends CommonOptions {
  readonly format: 'table' | 'json';
}

export interface ListCommandOptions extends DeliverCommandOptions {
  readonly all?: boolean;
}

/** The alerts list command. Answers with the exit code. */
export async function runList(options: ListCommandOptions, { folder, env, output }: Process): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const log = createLog(output, createRedact(settings.secrets));
  const listed = await besideState(settings, { clock, log }, async (app) => {
    for (const unknown of await unknownInRoutes(app)) log.warn(unknown);
    return alertsNow(app, options.all ?? false);
  });
  const text = options.format === 'json' ? `${renderAlertsJson(listed)}\n` : renderAlerts(listed, textLayout(output));
  output.stdout.write(text);
  return EXIT.done;
}

/** The alerts deliver command. Answers with the exit code. */
export async function runDeliver(options: DeliverCommandOptions, { folder, env, output }: Process): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const log = createLog(output, createRedact(settings.secrets));
  const result = await besideApp(settings, { clock, pauses: systemPauses, log }, deliverAlerts);
  const text =
    options.format === 'json' ? `${renderDeliveryJson(result)}\n` : renderDelivery(result, textLayout(output));
  output.stdout.write(text);
  return result.failures.length === 0 ? EXIT.done : EXIT.failed;
}
