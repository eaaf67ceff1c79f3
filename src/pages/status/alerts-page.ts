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
${htmlSection(path, 'Firing', 'Conditions that are true, as far as the last run knows', FIRING_COLUMNS, firing)}
${htmlSection(path, 'Not known to have arrived', 'The last try of each alert and person', OUTBOX_COLUMNS, outbox(lost))}
${htmlSection(path, 'Waiting to be told', 'The newest first', OUTBOX_COLUMNS, outbox(waiting))}
${htmlSection(path, 'Told', 'The newest first', OUTBOX_COLUMNS, outbox(told))}
${htmlSection(path, 'Silences', 'Alerts that nobody is told of', SILENCE_COLUMNS, silences.toReversed())}`,
  });
}
