import { unknownInRoutes } from '../../engine/accounts/unknown-names.ts';
import { deliverAlertsAlone } from '../../engine/tell/deliver-alerts.ts';
import { listAlerts } from '../../engine/tell/list-alerts.ts';
import { ALERTS_LIST } from '../../views/alerts-list.ts';
import type { CommandApp } from '../cli/command.ts';
import { textLayout } from '../cli/output.ts';
import { EXIT } from '../cli/print-error.ts';
import { jsonOrText, listingIn } from '../cli/print-listing.ts';
import { tellFailures } from '../cli/started-by.ts';
import type { DeliverOptions, ListOptions } from './alerts-command.ts';
import { deliveryJson, renderDelivery } from './delivery-view.ts';

export async function runList(app: CommandApp<'state'>, { all = false, format }: ListOptions): Promise<void> {
  const listed = await app.open(async (opened) => {
    for (const unknown of await unknownInRoutes(opened)) app.log.warn(unknown);
    return listAlerts(opened, all);
  });
  app.output.stdout.write(listingIn(format, ALERTS_LIST, listed, app.output));
}

export async function runDeliver(app: CommandApp<'all'>, { format }: DeliverOptions): Promise<number> {
  const { output, settings, log } = app;
  const result = await app.open(deliverAlertsAlone);
  tellFailures(app, settings, log, result.failures);
  output.stdout.write(jsonOrText(format, deliveryJson(result), renderDelivery(result, textLayout(output))));
  return result.failures.length === 0 ? EXIT.done : EXIT.failed;
}
