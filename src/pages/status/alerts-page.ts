import type { StateApp } from '../../app.ts';
import { html } from '../../html/html.ts';
import { PAGES } from '../../html/pages.ts';
import { redactTexts } from '../../pipeline/redact-texts.ts';
import { listAlerts } from '../../pipeline/tell/list-alerts.ts';
import {
  FIRING_COLUMNS,
  isQuiet,
  NOTHING_FIRES,
  OUTBOX_COLUMNS,
  type ShownRow,
  SILENCE_COLUMNS,
} from '../../views/alerts-list.ts';
import { htmlSection } from '../../views/kit/html.ts';
import { stateFrame } from './frame.ts';

const { path, title } = PAGES.alerts;

const ROWS_MAX = 200;

export async function alertsPage(app: StateApp): Promise<string> {
  const alerts = redactTexts(await listAlerts(app, true), app.settings);
  const { firing, waiting, counted, lost, past, silences } = alerts;
  const told = [...past, ...counted].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const outbox = (rows: readonly ShownRow[]) => rows.slice(-ROWS_MAX).toReversed();
  return stateFrame(app, {
    path,
    title,
    body: html`<h1>${title}</h1>
${isQuiet(alerts) && html`<p>${NOTHING_FIRES}</p>`}
${htmlSection(path, 'Firing', 'Conditions that were true at the last run', FIRING_COLUMNS, firing)}
${htmlSection(path, 'Delivery not confirmed', 'The last attempt per alert and recipient', OUTBOX_COLUMNS, outbox(lost))}
${htmlSection(path, 'Waiting to be sent', 'Newest first', OUTBOX_COLUMNS, outbox(waiting))}
${htmlSection(path, 'Sent', 'Newest first', OUTBOX_COLUMNS, outbox(told))}
${htmlSection(path, 'Silences', 'Alerts that are not sent', SILENCE_COLUMNS, silences.toReversed())}`,
  });
}
