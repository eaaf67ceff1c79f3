import { enqueueDueReports } from '../../dashboard/report/mail-reports.ts';
import { firstLineOf } from '../../domain/outside-text.ts';
import type { App } from '../../engine/app.ts';
import { type AlertDelivery, deliverAlertsAlone } from '../../engine/tell/deliver-alerts.ts';
import { enqueueTroubles, type WatchedTrouble } from '../../engine/tell/enqueue-troubles.ts';
import { deliveryJson, renderDelivery } from '../alerts/run-alerts.ts';
import type { CommandApp } from '../cli/command.ts';
import { textLayout } from '../cli/output.ts';
import { EXIT } from '../cli/print-error.ts';
import { jsonOrText } from '../cli/print-listing.ts';
import { tellFailures } from '../cli/started-by.ts';
import type { WatchOptions } from './watch-command.ts';

const PAUSE_MS = 10 * 60_000;

export async function runWatch(app: CommandApp<'all'>, { once, format }: WatchOptions): Promise<number> {
  const { output, settings, log, pauses, stop } = app;
  for (;;) {
    const { watched, delivery } = await app.open(look);
    tellFailures(app, settings, log, delivery.failures);
    const firing = watched.filter((one) => one.firing);
    const found = firing.map(({ text = '' }) => firstLineOf(text)).join('\n') || 'The runs are well.';
    const json = { watched, ...deliveryJson(delivery) };
    output.stdout.write(jsonOrText(format, json, `${found}\n\n${renderDelivery(delivery, textLayout(output))}`));
    if (once || stop.aborted) return delivery.failures.length === 0 ? EXIT.done : EXIT.failed;
    await pauses.pause(PAUSE_MS, stop);
  }
}

async function look(
  app: App,
): Promise<{ readonly watched: readonly WatchedTrouble[]; readonly delivery: AlertDelivery }> {
  const { watched, failures } = await enqueueTroubles(app);
  const reports = await enqueueDueReports(app);
  const delivery = await deliverAlertsAlone(app);
  return { watched, delivery: { ...delivery, failures: [...failures, ...reports.failures, ...delivery.failures] } };
}
