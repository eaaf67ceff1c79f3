import { deliverAlertsAlone } from '../../jobs/deliver-alerts.ts';
import { alertsNow } from '../../jobs/look-at-alerts.ts';
import { unknownInRoutes } from '../../jobs/unknown-names.ts';
import { alertRows, renderAlerts, renderAlertsJson } from '../../report/render-alerts.ts';
import { renderDelivery, renderDeliveryJson } from '../../report/render-delivery.ts';
import type { CommandApp } from '../command.ts';
import { textLayout } from '../output.ts';
import { EXIT } from '../print-error.ts';
import { printListing } from '../print-listing.ts';
import { tellFailures } from '../started-by.ts';
import type { DeliverOptions, ListOptions } from './alerts-command.ts';

export async function runList(app: CommandApp<'state'>, { all = false, format }: ListOptions): Promise<void> {
  const listed = await app.open(async (opened) => {
    for (const unknown of await unknownInRoutes(opened)) app.log.warn(unknown);
    return alertsNow(opened, all);
  });
  printListing(app.output, format, 'alerts list', {
    table: (layout) => renderAlerts(listed, layout),
    json: () => renderAlertsJson(listed),
    rows: () => alertRows(listed),
  });
}

export async function runDeliver(app: CommandApp<'all'>, { format }: DeliverOptions): Promise<number> {
  const { output, settings, log } = app;
  const result = await app.open(deliverAlertsAlone);
  tellFailures(app, settings, log, result.failures);
  output.stdout.write(
    format === 'json' ? `${renderDeliveryJson(result)}\n` : renderDelivery(result, textLayout(output)),
  );
  return result.failures.length === 0 ? EXIT.done : EXIT.failed;
}
