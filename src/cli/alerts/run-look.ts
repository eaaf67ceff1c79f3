import { besideApp, besideState } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { deliverAlertsAlone } from '../../jobs/deliver-alerts.ts';
import { listAlerts } from '../../jobs/list-alerts.ts';
import { unknownInRoutes } from '../../jobs/unknown-names.ts';
import { renderDelivery, renderDeliveryJson } from '../../report/render-delivery.ts';
import { createClock, systemPauses } from '../../system-time.ts';
import { ALERTS_LIST } from '../../views/alerts-list.ts';
import type { CommonOptions } from '../common-options.ts';
import { openLog } from '../open-log.ts';
import { textLayout } from '../output.ts';
import { EXIT } from '../print-error.ts';
import type { ListingFormat } from '../print-listing.ts';
import type { Process } from '../process.ts';
import { listingIn } from '../show-listing.ts';
import { tellFailures } from '../started-by.ts';
import { stopSignal } from '../stop-signal.ts';

export interface DeliverCommandOptions extends CommonOptions {
  readonly format: 'table' | 'json';
}

export interface ListCommandOptions extends CommonOptions {
  readonly format: ListingFormat;
  readonly all?: boolean;
}

/** The alerts list command. Answers with the exit code. */
export async function runList(options: ListCommandOptions, { folder, env, output }: Process): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const log = await openLog(output, settings, clock);
  const listed = await besideState(settings, { clock, log, looksOnly: true }, async (app) => {
    for (const unknown of await unknownInRoutes(app)) log.warn(unknown);
    return listAlerts(app, options.all ?? false);
  });
  output.stdout.write(listingIn(options.format, ALERTS_LIST, listed, output));
  return EXIT.done;
}

/** The alerts deliver command. Answers with the exit code. */
export async function runDeliver(options: DeliverCommandOptions, process: Process): Promise<number> {
  const { folder, env, output } = process;
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const log = await openLog(output, settings, clock);
  const result = await besideApp(
    settings,
    { clock, pauses: systemPauses, log, stop: stopSignal(process, log) },
    deliverAlertsAlone,
  );
  tellFailures(process, settings, log, result.failures);
  const text =
    options.format === 'json' ? `${renderDeliveryJson(result)}\n` : renderDelivery(result, textLayout(output));
  output.stdout.write(text);
  return result.failures.length === 0 ? EXIT.done : EXIT.failed;
}
