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
<p>A day is complete once it is read after it ended on the account’s calendar. Until then it is provisional. This report leaves it out. No missing day: ${whole} of ${counted(coverage.length, 'account’s table', 'accounts’ tables')}. A late correction is a day that the service changed after it ended.</p>
${table({
  caption: 'Coverage and late corrections',
  columns: [
    ...words('Account', 'Table', 'First day', 'Complete until'),
    ...numbers('Provisional days', 'Missing days'),
    ...words('Missing'),
    ...numbers('Late corrections', 'Longest delay'),
  ],
  rows: sorted.slice(0, COVERAGE_MAX).map(coverageRow),
  none: 'none read yet.',
})}${left > 0 && html`<p class="note">And ${left} more, with no more missing days than these. Run pacekeeper coverage.</p>\n`}</section>
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
    restated && `${counted(restated.lagDays, 'day')}`,
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
      recipient === undefined ? 'no recipient yet' : `${recipient}${recipient.includes(':') ? '' : ` (${channel})`}`,
      stateText(MESSAGE_WORDS[state]),
    ]),
  none: 'none.',
})}${alerts.length > ALERTS_MAX && html`<p class="note">Only the newest ${ALERTS_MAX} are shown. Run pacekeeper alerts list for all.</p>\n`}</section>
`;
}

export function methodSection({ writtenAt, targets }: ReportFacts): Html {
  return html`<section aria-labelledby="method">
<h2 id="method">Method</h2>
<ul>
<li>Only complete days count. A complete day without rows counts as 0. An unknown value is shown as –, never as 0.</li>
<li>Budget: today’s daily budgets × days, even for days that had other budgets. A yardstick, not a target. ${targets === undefined ? 'No targets are set here.' : 'Targets of pacing rules have their own table.'}</li>
<li>Month at run rate: spend of complete days, plus the weekday’s 28-day mean for each other day. A weekday without data gets the mean of all days. Needs seven complete days.${targets !== undefined && ' Projected, for targets of rules, never exceeds a day’s budget, so it may be lower.'}</li>
<li>On pace: the month at run rate is within 5% of the month’s budget.</li>
<li>Movers: the last seven complete days against the seven before, by change in spend.</li>
<li>Amounts are exact sums, rounded only for display. Different currencies are never added.</li>
</ul>
<p class="note">Written by pacekeeper at ${minuteText(writtenAt)}.</p>
</section>
`;
}
