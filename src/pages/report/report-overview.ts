import { minuteText } from '../../domain/civil-date.ts';
import { modeWords } from '../../domain/frozen.ts';
import { shortLine } from '../../domain/outside-text.ts';
import { type Html, html, trusted } from '../../html/html.ts';
import { type Cell, named, numbers, table, words } from '../../html/table.ts';
import { amountText, costText, counted, monthText, percentText, stateText } from '../../html/wording.ts';
import type { LastRead } from '../../store/runs/coverage-table.ts';
import { RUN_WORDS } from '../../text/state-words.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { PACE_COLUMNS } from '../../views/pacing.ts';
import { wasMade } from '../../views/report/decision-facts.ts';
import { type Pacing, paceOf, perMille } from './pacing.ts';
import { type AccountFacts, ALERTS_READ, type LastRun, type ReportFacts } from './report-facts.ts';

/** A difference of at most 5% counts as on pace. The unit is a tenth of a percent. */
const ON_PACE = 50n;

export interface Lead {
  readonly cards: Html;
  readonly run: bigint | undefined;
}

export function head(facts: ReportFacts, lead: Lead | undefined): Html {
  const { lastRun } = facts;
  return html`<h1>Report: spend, budgets and changes</h1>
${lead?.cards}<dl class="facts">
<dt>Numbers as of</dt><dd>${facts.asOf === undefined ? 'no data yet' : html`<time datetime="${facts.asOf}">${minuteText(facts.asOf)}</time>`}</dd>
<dt>Target</dt><dd>${facts.target ?? 'unknown yet'}</dd>
<dt>Mode</dt><dd>${modeWords(facts.mode, facts.frozen)}</dd>
${(lead === undefined || lastRun?.id !== lead.run) && html`<dt>${lead === undefined ? 'Last run' : 'Last report'}</dt><dd>${lastRun === undefined ? 'none yet' : runWords(lastRun)}</dd>\n`}<dt>Spend and clicks from</dt><dd>${facts.table === undefined ? 'no daily table yet' : html`table <code>${facts.table}</code> (only what its query reads)`}</dd>
</dl>
${figures(facts)}${noticesOf(facts)}`;
}

function runWords(run: LastRun): Html {
  return html`${run.id}, pacekeeper ${run.command}${run.dryRun && ' (dry run)'}, ${minuteText(run.startedAt)}: ${stateText(RUN_WORDS[run.state])}`;
}

function figures({ accounts, accountsLeftOut, decisions, openProposals, alerts, lastRun }: ReportFacts): Html | false {
  if (lastRun === undefined && accounts.length === 0) return false;
  const made = decisions.filter(wasMade);
  const undos = made.filter(({ origin }) => origin === 'undo').length;
  const told = new Set(alerts.map(({ alert }) => alert)).size;
  const messages = new Set(alerts.flatMap(({ message }) => message ?? [])).size;
  const all = accounts.length + accountsLeftOut;
  const notArrived = alerts.filter(({ state }) => state === 'failed' || state === 'unknown').length;
  const cells: readonly (readonly [string | number, string])[] = [
    [all, all === 1 ? 'account' : 'accounts'],
    [
      made.length,
      `${made.length === 1 ? 'budget change' : 'budget changes'} in 30 days${undos === 0 ? '' : `, including ${undos} ${undos === 1 ? 'undo' : 'undos'}`}`,
    ],
    [openProposals, openProposals === 1 ? 'change awaits approval' : 'changes await approval'],
    [
      alerts.length < ALERTS_READ ? told : `${told} or more`,
      `${told === 1 ? 'alert' : 'alerts'} in 30 days${messages > 0 ? `, sent in ${counted(messages, 'message')}` : ''}${notArrived > 0 ? `, delivery not confirmed for ${notArrived}` : ''}`,
    ],
  ];
  return html`<ul class="figures">${cells.map(([value, words]) => html`<li><strong>${value}</strong><span>${words}</span></li>`)}</ul>\n`;
}

function noticesOf({ lastRun, notes }: ReportFacts): Html {
  const failures = lastRun?.failures ?? [];
  return html`${
    failures.length > 0 &&
    html`<div class="notice serious"><p><strong>${lastRun?.state === 'stopped' ? 'The last run was stopped:' : `The last run had ${counted(failures.length, 'failure')}:`}</strong></p><ul>${failures.slice(0, 10).map((failure) => html`<li>${failure}</li>`)}</ul>${failures.length > 10 && html`<p>And ${failures.length - 10} more. Run pacekeeper status.</p>`}</div>\n`
  }${notes.length > 0 && html`<div class="notice">${notes.map((note) => html`<p>${note}</p>`)}</div>\n`}`;
}

export function accountPace({ days, budget }: AccountFacts): Pacing | undefined {
  const costs = new Map(days.map(({ date, costMicros }) => [date, costMicros]));
  return paceOf(days, budget?.dailyMicros, (date) => costs.get(date));
}

/** Amounts in different currencies are never added. */
export function overview(facts: ReportFacts): Html {
  const rows = facts.accounts.map((account) => overviewRow(account));
  const left = facts.accountsLeftOut;
  return html`<section aria-labelledby="pacing">
<h2 id="pacing">Spend against budget</h2>
<p>The month is that of the account’s newest complete day. Budget = today’s daily budgets × days. A yardstick, not a target${facts.targets !== undefined && ' (targets are below)'}. The tick marks 100% of the budget to date. Different currencies are never added.</p>
${table({
  caption: 'Accounts',
  columns: [
    ...words('Account', 'Forecast', 'Month'),
    ...numbers('Spent', 'Budget to date'),
    ...words('Share spent'),
    ...numbers('Month at run rate', 'Month’s budget'),
  ],
  rows,
  none: noneWords(facts),
})}${unknownBudgets(facts)}${left > 0 && html`<p class="note">${counted(left, 'account')} with fewer recent clicks ${left === 1 ? 'is' : 'are'} not shown. The table account in warehouse.sqlite has all.</p>\n`}${targetsPart(facts)}</section>
`;
}

const TARGETS_MAX = 200;

function targetsPart({ targets }: ReportFacts): Html | false {
  if (targets === undefined) return false;
  const { runId, at, rows } = targets;
  const left = rows.length - TARGETS_MAX;
  return html`<h3 id="targets">Monthly targets</h3>
<p>From run ${runId} at ${minuteText(at)}. “Should be” is the budget after all limits and guards. Run pacekeeper pacing for reasons, with --format html for charts.</p>
${htmlTable(sheetOf(PACE_COLUMNS, rows.slice(0, TARGETS_MAX), 'people'), { caption: 'Targets of pacing rules', none: 'none.' })}${left > 0 && html`<p class="note">${counted(left, 'more target')} ${left === 1 ? 'is' : 'are'} not shown.</p>\n`}`;
}

function noneWords({ asOf, table: source, nearest }: ReportFacts): string {
  if (asOf === undefined || source !== undefined) return 'none read yet. Run pacekeeper report.';
  const needed = 'no table has clicks and cost per campaign and day';
  if (nearest === undefined) {
    return `${needed}. Add a query that selects campaign.id, segments.date, metrics.clicks and metrics.cost_micros, such as queries/keyword_stats.sql.`;
  }
  if (nearest.lacks.length === 0) return `${needed} yet. Run pacekeeper publish to build one from ${nearest.query}.`;
  return `${needed}. Add ${nearest.lacks.join(' and ')} to the query ${nearest.query}.`;
}

function unknownBudgets({ accounts, budgetTables }: ReportFacts): Html | false {
  const unknown = accounts.filter(({ budget, days }) => budget === undefined && days.length > 0).length;
  if (unknown === 0) return false;
  const whose =
    unknown === accounts.length
      ? 'All budgets are unknown'
      : `The budgets of ${counted(unknown, 'account')} are unknown`;
  return html`<p class="note">${whose}: ${unknownBudget(budgetTables)}.</p>\n`;
}

export function unknownBudget({ budgets }: ReportFacts['budgetTables']): Html {
  if (budgets.length > 0) return html`the table <code>${budgets.join(', ')}</code> does not list them`;
  return html`add a query that selects <code>campaign_budget.id</code> and <code>campaign_budget.amount_micros</code>, such as <code>queries/campaign_budget.sql</code>`;
}

export function failedRead({ at, failure }: LastRead): Html | undefined {
  if (failure === undefined) return undefined;
  return html`${at === undefined ? 'never read' : `as of ${minuteText(at)}`}, <span class="bad">last read failed</span>: ${shortLine(failure, FAILURE_MAX)}`;
}

const FAILURE_MAX = 120;

function overviewRow(account: AccountFacts): Cell[] {
  const { customerId, name, currency, days } = account;
  const pace = accountPace(account);
  const called = named(name ?? customerId);
  const old = failedRead(account.lastRead);
  const link = html`${account.campaigns === undefined ? called : html`<a href="#a${customerId}">${called}</a>`}${old !== undefined && html`<br><span class="note">${old}</span>`}`;
  if (pace === undefined) {
    return [link, days.length === 0 ? 'no days read' : 'no complete day yet'];
  }
  const share = perMille(pace.spent, pace.idealToDate);
  return [
    link,
    verdict(pace),
    html`<span class="day">${monthText(pace.month.from)}</span><br><span class="note">newest complete day <span class="day">${pace.newest}</span></span>`,
    costText(pace.spent, currency),
    amountText(pace.idealToDate, currency) ?? 'unknown',
    share === undefined ? undefined : html`${percentText(share)}${bar(share)}`,
    costText(pace.projected, currency) ?? 'too few days',
    amountText(pace.idealOfMonth, currency) ?? 'unknown',
  ];
}

export function verdict({ projected, idealOfMonth }: Pick<Pacing, 'projected' | 'idealOfMonth'>): Html | undefined {
  const share = perMille(projected, idealOfMonth);
  if (share === undefined) return undefined;
  const difference = share - 1000n;
  // Compares exact amounts, because the amounts on the page are rounded.
  const off = ((projected ?? 0n) - (idealOfMonth ?? 0n)) * 1000n;
  const most = (idealOfMonth ?? 0n) * ON_PACE;
  if (off > most) return html`<span class="bad">${percentText(difference, true)}, over</span>`;
  if (off < -most) return html`<span class="warn">${percentText(difference, true)}, under</span>`;
  return html`<span class="good">${percentText(difference, true)}, on pace</span>`;
}

/** A bar that ends at 120% and has a mark at 100%. */
function bar(share: bigint): Html {
  const width = Number(share > 1200n ? 1200n : share) / 12;
  const colour = share > 1000n + ON_PACE ? 'bad' : 'c1';
  return html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="100" height="10" fill="var(--line)"/><rect width="${trusted(width.toFixed(1))}" height="10" fill="var(--${colour})"/><path d="M83.3 0V10" fill="none" stroke="var(--ink)" stroke-width="1.5"/></svg>`;
}
