import { minuteText } from '../../domain/civil-date.ts';
import { type Html, html } from '../../html/html.ts';
import { aside, named, numbers, table, words } from '../../html/table.ts';
import { counted, rangeText, stateText } from '../../html/wording.ts';
import { MESSAGE_WORDS } from '../../text/state-words.ts';
import { type AccountCoverage, daysIn, isLacking, lackedBy } from '../../views/coverage.ts';
import type { ReportFacts } from './report-facts.ts';

const COVERAGE_MAX = 60;
const ALERTS_MAX = 60;

export function qualitySection({ coverage }: ReportFacts): Html {
  const sorted = [...coverage].sort(
    (one, other) => lackedBy(other) - lackedBy(one) || daysIn(other, 'provisional') - daysIn(one, 'provisional'),
  );
  const whole = coverage.filter((one) => lackedBy(one) === 0 && one.completeUntil !== undefined).length;
  const left = sorted.length - COVERAGE_MAX;
  return html`<section aria-labelledby="quality">
<h2 id="quality">Data quality</h2>
<p>A day is complete when it was read after it was over on the account’s calendar; until then it is provisional, and rules and this report leave it out. ${whole} of ${counted(coverage.length, 'account’s table', 'accounts’ tables')} have no missing day. A late correction is a day that the service changed after it was over.</p>
${table({
  caption: 'Coverage and late corrections',
  columns: [
    ...words('Account', 'Table', 'Read from', 'Complete until'),
    ...numbers('Provisional days', 'Missing days'),
    ...words('Missing'),
    ...numbers('Late corrections', 'Up to'),
  ],
  rows: sorted.slice(0, COVERAGE_MAX).map(coverageRow),
  none: 'no day was read yet.',
})}${left > 0 && html`<p class="note">And ${left} more with no more missing days than these: pacekeeper coverage.</p>\n`}</section>
`;
}

const GAPS_SHOWN = 3;

function coverageRow(account: AccountCoverage) {
  const { query, customerId, name, days, completeUntil, restated } = account;
  const missing = lackedBy(account);
  const gaps = days.filter(isLacking).slice(0, GAPS_SHOWN);
  return [
    named(name ?? customerId),
    query,
    days[0]?.from ?? 'never read',
    completeUntil,
    daysIn(account, 'provisional'),
    missing === 0 ? '0' : html`<span class="bad">${missing}</span>`,
    missing === 0 ? undefined : `${gaps.map(rangeText).join(', ')}${gaps.length === GAPS_SHOWN ? ' …' : ''}`,
    restated?.days ?? 0n,
    restated && `${counted(restated.lagDays, 'day')} later`,
  ];
}

export function alertsSection({ alerts }: ReportFacts): Html {
  return html`<section aria-labelledby="alerts">
<h2 id="alerts">Alerts</h2>
${table({
  caption: 'Alerts of the last 30 days, one row per alert and recipient',
  columns: [{ title: 'Alert', long: true }, ...words('When', 'Severity', 'To', 'State')],
  rows: alerts
    .slice(0, ALERTS_MAX)
    .map(({ at, severity, channel, recipient, state, text }) => [
      aside(text),
      minuteText(at),
      severity,
      recipient === undefined ? 'nobody is named yet' : `${recipient}${recipient.includes(':') ? '' : ` (${channel})`}`,
      stateText(MESSAGE_WORDS[state]),
    ]),
  none: 'nothing was told.',
})}${alerts.length > ALERTS_MAX && html`<p class="note">The newest ${ALERTS_MAX}; pacekeeper alerts list has each.</p>\n`}</section>
`;
}

export function methodSection({ writtenAt, targets }: ReportFacts): Html {
  return html`<section aria-labelledby="method">
<h2 id="method">How the numbers are made</h2>
<ul>
<li>Only complete days count. A complete day without a row came to nothing; an unknown value is shown as – and never as 0.</li>
<li>At today’s budgets: the daily budgets as they are now times days, also for days on which they were others. It is an ideal to compare with. ${targets === undefined ? 'Nobody’s target is known here.' : 'What rules pace budgets to has a table of its own.'}</li>
<li>Month at run rate: what was spent on complete days of the month, and for each other day of it the mean of its weekday in the last 28 days (of all those days, where its weekday is not among them). With fewer than seven complete days nothing is said of it.${targets !== undefined && ' Projected is said of the target of a rule: it counts no day more than its budget, so it may come to less.'}</li>
<li>On pace: the month at run rate is within 5% of the month’s budget.</li>
<li>Movers: the last seven complete days against the seven before, campaigns by how far their spend moved.</li>
<li>Amounts are exact sums, rounded only for display. Amounts of different currencies are never added.</li>
</ul>
<p class="note">Written by pacekeeper at ${minuteText(writtenAt)}.</p>
</section>
`;
}
