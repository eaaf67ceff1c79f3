import { minuteText } from '../../domain/civil-date.ts';
import { shortLine } from '../../domain/outside-text.ts';
import type { Column } from '../../storage/columns/column.ts';
import { RUN_ROW } from '../../storage/columns/run-columns.ts';
import { MESSAGE_WORDS } from '../../storage/columns/state-words.ts';
import { daysIn, lackedBy, TABLE_COVERAGE_COLUMNS, unreadDays } from '../../views/coverage.ts';
import { type Html, html } from '../../views/html/html.ts';
import { fold } from '../../views/html/parts.ts';
import { aside } from '../../views/html/table.ts';
import { counted } from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { onPage } from '../../views/kit/page-column.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { ALERTS_READ, type AlertFacts, type ReportFacts } from '../../views/report/report-facts.ts';
import { periodWords } from './report-filter.ts';

const COVERAGE_MAX = 60;
const ALERTS_MAX = 60;
const TEXT_MAX = 200;

export function qualityFold({ coverage }: ReportFacts): Html {
  const sorted = [...coverage].sort(
    (one, other) => lackedBy(other) - lackedBy(one) || daysIn(other, 'provisional') - daysIn(one, 'provisional'),
  );
  const unread = coverage.reduce((sum, one) => sum + unreadDays(one), 0);
  const missing = coverage.reduce((sum, one) => sum + lackedBy(one), 0) - unread;
  const left = sorted.length - COVERAGE_MAX;
  return fold(
    {
      id: 'quality',
      title: `Data quality (${counted(missing, 'missing day')}${unread > 0 ? `, ${unread} not read yet` : ''})`,
      name: 'quality',
    },
    html`<p>A day is complete once it is read after it ended on the account’s calendar. Until then it is provisional. This report leaves it out. A late correction is a day that the service changed after it ended.</p>
${htmlTable(sheetOf(TABLE_COVERAGE_COLUMNS, sorted.slice(0, COVERAGE_MAX), 'people'), { caption: 'Coverage and late corrections', none: 'none read yet.' })}${left > 0 && html`<p class="note">And ${left} more, with no more missing days than these. Run pacekeeper coverage.</p>\n`}`,
  );
}

const ALERT_COLUMNS: readonly Column<AlertFacts>[] = [
  onPage.text('Alert', 'text', {
    long: true,
    page: ({ text: told }) => aside(shortLine(told, TEXT_MAX)),
  }),
  onPage.instant('When', 'at'),
  onPage.text('Severity', 'severity'),
  onPage.text('To', 'recipient', {
    shown: ({ recipient, channel }) =>
      recipient === undefined ? 'no recipient yet' : `${recipient}${recipient.includes(':') ? '' : ` (${channel})`}`,
  }),
  onPage.state('State', 'state', { word: ({ state }) => MESSAGE_WORDS[state] }),
];

export function alertsFold({ alerts, range }: ReportFacts): Html {
  const number = new Set(alerts.map(({ alert }) => alert)).size;
  const lost = alerts.filter(({ state }) => state === 'failed' || state === 'unknown').length;
  const many = alerts.length < ALERTS_READ ? counted(number, 'alert') : `${number} or more alerts`;
  const period = periodWords({ range }, 30);
  const title = `Alerts (${many}, ${period}${lost > 0 ? `, delivery not confirmed for ${lost}` : ''})`;
  return fold(
    { id: 'alerts', title },
    html`${htmlTable(sheetOf(ALERT_COLUMNS, alerts.slice(0, ALERTS_MAX), 'people'), {
      caption: `Alerts, ${period}, one row per alert and recipient`,
      none: 'none.',
    })}${alerts.length > ALERTS_MAX && html`<p class="note">Only the newest ${ALERTS_MAX} are shown. Run pacekeeper alerts list for all.</p>\n`}`,
  );
}

export function runsFold({ runs }: ReportFacts): Html {
  return fold(
    { id: 'runs', title: `Runs (the last ${runs.length})` },
    htmlTable(sheetOf(RUN_ROW, runs, 'people'), { caption: 'The last runs', none: 'none yet.' }),
  );
}

export function methodFold({ writtenAt, table: source }: ReportFacts): Html {
  return fold(
    { id: 'method', title: 'Method' },
    html`<ul>
<li>Spend and clicks are from ${source === undefined ? 'no table yet' : html`the table <code>${source}</code>. They include only what its query reads`}.</li>
<li>Only complete days count. A complete day without rows counts as 0. An unknown value is shown as –, never as 0.</li>
<li>Month end: spend of complete days, plus the weekday’s 28-day mean for each other day. A weekday without data gets the mean of all days. Needs seven complete days. For a target of the whole account, it is the rule’s own projection, which never exceeds a day’s budget.</li>
<li>Target: set by a pacing rule. If an account has several, the one that is furthest off is shown.</li>
<li>Budgets allow: today’s daily budgets × days of the month. A cap, not a plan.</li>
<li>Change and movers: the last seven complete days against the seven before. Effect: the campaign’s change as a share of the account’s spend before; all: the change of the whole account.</li>
<li>Before and after: up to seven complete days on each side of a change. Excluded: its own day, and days beyond another change. This is no proof: weekdays, seasons, bids and competitors change, too.</li>
<li>Amounts are exact sums, rounded only for display. Different currencies are never added.</li>
</ul>
<p class="note">Written by pacekeeper at ${minuteText(writtenAt)}.</p>
`,
  );
}
