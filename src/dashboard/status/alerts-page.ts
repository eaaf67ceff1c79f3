import { linkFrom, PAGES } from '../../domain/pages.ts';
import { may, type Role } from '../../domain/role.ts';
import type { StateApp } from '../../engine/app.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { listAlerts } from '../../engine/tell/list-alerts.ts';
import type { Column } from '../../storage/columns/column.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import {
  FIRING_COLUMNS,
  isQuiet,
  NOTHING_FIRES,
  OUTBOX_COLUMNS,
  type ShownRow,
  SILENCE_COLUMNS,
  TEXT,
} from '../../views/alerts-list.ts';
import { html } from '../../views/html/html.ts';
import { emptyState } from '../../views/html/parts.ts';
import { htmlSection } from '../../views/kit/html.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { stateFrame } from './frame.ts';
import {
  fileFormat,
  fileLinks,
  filterForm,
  isChosen,
  isInRange,
  isRestricted,
  readFilter,
  shownFile,
} from './page-filter.ts';
import type { Download } from './page-source.ts';

const { path, title } = PAGES.alerts;

const ROWS_MAX = 200;

/** A page shows the message first. Its number and other marks stand behind it. */
function messageFirst<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  const message = columns.find(({ key }) => key === TEXT.key);
  if (message === undefined) return columns;
  const page = (row: Row) => html`${message.shown?.(row)}`;
  return [{ ...message, long: undefined, page }, ...columns.filter((column) => column !== message)];
}

export async function alertsPage(app: StateApp, query: URLSearchParams, role: Role): Promise<string | Download> {
  const filter = readFilter(query);
  const facts = { alerts: await listAlerts(app, true), accounts: await allAccounts(app.state.db) };
  const { alerts, accounts } = redactTexts(facts, app.settings);
  const { firing, waiting, counted, lost, past, silences } = alerts;
  const told = [...past, ...counted].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const chosen = (rows: readonly ShownRow[]) =>
    rows.filter((row) => isChosen(filter, row.customerId) && isInRange(filter, row.createdAt)).toReversed();
  const format = fileFormat(query);
  if (format !== undefined) {
    const rows = [...chosen(waiting), ...chosen(lost), ...chosen(told)];
    return shownFile(format, 'alerts', sheetOf(messageFirst(OUTBOX_COLUMNS), rows, 'people'));
  }
  const outbox = (name: string, caption: string, all: readonly ShownRow[]) => {
    const rows = chosen(all);
    return [
      htmlSection(path, name, caption, messageFirst(OUTBOX_COLUMNS), rows.slice(0, ROWS_MAX)),
      rows.length > ROWS_MAX &&
        html`<p class="note">The newest ${ROWS_MAX} of ${rows.length}. Filter by day or account to see the others.</p>`,
    ];
  };
  const fires = firing.filter((one) => isChosen(filter, one.customerId) && isInRange(filter, one.firedAt));
  const parts = [
    htmlSection(
      path,
      'Firing',
      'Conditions that were true at the last run',
      messageFirst(FIRING_COLUMNS),
      fires.slice(0, ROWS_MAX),
    ),
    fires.length > ROWS_MAX &&
      html`<p class="note">The first ${ROWS_MAX} of ${fires.length}. Filter by day or account to see the others.</p>`,
    fires.length > 0 &&
      may(role, 'silence') &&
      html`<p><a href="${linkFrom(path, PAGES.inbox.path)}">Acknowledge or silence alerts in the inbox</a></p>`,
    ...outbox('Delivery not confirmed', 'The last attempt per alert and recipient', lost),
    ...outbox('Waiting to be sent', 'Newest first', waiting),
    ...outbox('Sent', 'Newest first', told),
    !isRestricted(filter) &&
      htmlSection(path, 'Silences', 'Alerts that are not sent', SILENCE_COLUMNS, silences.toReversed()),
  ].filter((part) => part !== undefined && part !== false);
  const none = isRestricted(filter) && emptyState('No alert matches the filter.');
  return stateFrame(app, {
    path,
    title,
    kept: filter,
    filter: filterForm({ path, filter, fields: ['days', 'customer'], accounts }),
    body: html`${isQuiet(alerts) && html`<p class="find">${NOTHING_FIRES}</p>`}
${parts.length > 0 ? parts : none}
${waiting.length + lost.length + told.length > 0 && html`<p class="ways">${fileLinks(path, filter)}</p>`}`,
  });
}
