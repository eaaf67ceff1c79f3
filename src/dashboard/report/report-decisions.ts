import { isUndo } from '../../domain/budget-change.ts';
import { minuteText } from '../../domain/civil-date.ts';
import { shortLine } from '../../domain/outside-text.ts';
import { rational, roundHalfAway } from '../../domain/rational.ts';
import { grouped } from '../../domain/wording.ts';
import type { RecordedDecision } from '../../storage/records/budgets/decision-table.ts';
import { type Html, html } from '../../views/html/html.ts';
import { type Cell, named, numbers, table, words } from '../../views/html/table.ts';
import { amountText, changeText, costText, counted, stateText } from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { PACE_COLUMNS } from '../../views/pacing.ts';
import {
  actorWords,
  detailWords,
  referenceOf,
  shortSubject,
  stateWordOf,
  wasMade,
} from '../../views/report/decision-words.ts';
import { shareOfChange } from '../../views/report/month-words.ts';
import { perClick } from '../../views/report/pace.ts';
import type { ChangeFacts, PeriodSums, ReportFacts } from '../../views/report/report-facts.ts';
import { fold } from './fold.ts';
import { periodWords } from './period-words.ts';

const LAST_MAX = 40;
const MONTH_MAX = 60;
const WHY_MAX = 160;

export function decisionsFold(facts: ReportFacts): Html {
  const { decisions, decidingRun, lastDecisions, runsWithoutRefusals: without, targets } = facts;
  const more = lastDecisions.length - LAST_MAX;
  const isMore = decisions.length > lastDecisions.length;
  const title = `Decisions of the rules (${lastDecisions.length} in the last run)`;
  return fold(
    { id: 'decisions', title },
    html`<h3>The last run</h3>
${decisionTable(facts, `Decisions of run ${decidingRun ?? '(none yet)'}`, lastDecisions.slice(0, LAST_MAX), 'no changes, suggestions, refusals or requests for approval.')}${more > 0 && html`<p class="note">And ${more} more. The published table <code>decision</code> has all.</p>\n`}${targetsPart(targets)}<h3>By rule, ${periodWords(facts, 30)}</h3>
${ruleTable(facts)}${without > 0 && html`<p class="note">Not recorded: refusals and suggestions of ${without} ${without === 1 ? 'run' : 'runs'} of an earlier version.</p>\n`}${
  isMore &&
  html`<details><summary>All decisions: ${periodWords(facts, 30)}</summary>
${decisionTable(facts, `Decisions: ${periodWords(facts, 30)}`, decisions.slice(0, MONTH_MAX), '')}${decisions.length > MONTH_MAX && html`<p class="note">The newest ${MONTH_MAX} of ${decisions.length}. The published table <code>decision</code> has all.</p>\n`}</details>\n`
}`,
  );
}

const TARGETS_MAX = 200;

function targetsPart(targets: ReportFacts['targets']): Html | false {
  if (targets === undefined) return false;
  const { runId, at, rows } = targets;
  const left = rows.length - TARGETS_MAX;
  return html`<h3 id="targets">Monthly targets</h3>
<p>From run ${runId} at ${minuteText(at)}. “Should be” is the budget after all limits and guards. Run pacekeeper pacing for reasons, with --format html for charts.</p>
${htmlTable(sheetOf(PACE_COLUMNS, rows.slice(0, TARGETS_MAX), 'people'), { caption: 'Targets of pacing rules', none: 'none.' })}${left > 0 && html`<p class="note">${counted(left, 'more target')} ${left === 1 ? 'is' : 'are'} not shown.</p>\n`}`;
}

function decisionTable(
  { ruleTexts }: ReportFacts,
  caption: string,
  decisions: readonly RecordedDecision[],
  none: string,
): Html {
  return table({
    caption,
    columns: [...words('Campaign', 'Outcome', 'Daily budget', 'Rule'), { title: 'Why', long: true }],
    rows: decisions.map((decision) => [
      subjectCell(decision),
      outcomeOf(decision),
      changeText(decision),
      ruleCell(decision, ruleTexts),
      whyOf(decision),
    ]),
    none,
  });
}

function whyOf(decision: RecordedDecision): Html {
  const { kind, reason, intent } = decision;
  const detail = detailWords(decision);
  const code = decision.code ?? intent?.code;
  const word = code !== undefined && html`<br><span class="note">${codeWord(code)}</span>`;
  if (kind === 'refusal' && detail !== undefined) return html`<strong>${detail}</strong><br>${reason}${word}`;
  return html`${reason}${detail !== undefined && html`<br><span class="note">${detail}</span>`}${word}`;
}

function codeWord(code: string): Html {
  return html`<code title="Reason code. See docs/troubleshoot.md.">${code}</code>`;
}

function ruleName(rule: string, texts: ReportFacts['ruleTexts']): Html {
  const text = texts?.get(rule);
  return html`${rule}${text !== undefined && html`<br><span class="note">${shortLine(text, WHY_MAX)}</span>`}`;
}

function ruleCell(decision: RecordedDecision, texts: ReportFacts['ruleTexts']): Html {
  const actor = actorWords(decision);
  if (isUndo(decision)) return html`${actor}`;
  return html`${ruleName(decision.rule, texts)}${actor !== undefined && html`<br><span class="note">${actor}</span>`}`;
}

function subjectCell(decision: RecordedDecision): Html {
  const account = decision.accountName ?? decision.customerId;
  return html`${named(shortSubject(decision))}<br><span class="note">${named(account)}</span>`;
}

function outcomeOf(decision: RecordedDecision): Html {
  const reference = referenceOf(decision);
  return html`${stateText(stateWordOf(decision))}<br><span class="note">${reference !== undefined && `${reference}, `}${minuteText(decision.at)}</span>`;
}

function ruleTable({ decisions, ruleTexts, range }: ReportFacts): Html {
  const rows = grouped(decisions, ({ rule }) => rule)
    .map((ofRule) => ({ rule: ofRule[0]?.rule ?? '', ofRule }))
    .sort((one, other) => (one.rule < other.rule ? -1 : 1))
    .map(({ rule, ofRule }): Cell[] => {
      const number = (test: (decision: RecordedDecision) => boolean) => ofRule.filter(test).length;
      const refusals = ofRule.filter(({ kind }) => kind === 'refusal');
      const codes = Map.groupBy(refusals, ({ code = 'no code' }) => code);
      return [
        ruleName(rule, ruleTexts),
        ...(['rule', 'approval', 'undo'] as const).map((who) => number((one) => wasMade(one) && one.origin === who)),
        number((one) => one.kind === 'change' && !wasMade(one)),
        number(({ kind }) => kind === 'would_change'),
        number(({ kind }) => kind === 'proposal'),
        number(({ kind, proposal }) => kind === 'proposal' && proposal?.state === 'approved'),
        refusals.length,
        codes.size > 0
          ? html`<span class="note">${[...codes].map(([code, own], index) => html`${index > 0 && ', '}${codeWord(code)} ${own.length}×`)}</span>`
          : undefined,
      ];
    });
  return table({
    caption: 'By rule',
    columns: [
      ...words('Rule'),
      ...numbers(
        'Changed by the rule',
        'Changed after approval',
        'Undone by people',
        'Changes not made',
        'Suggested',
        'Approval requested',
        'Approved',
        'Refused',
      ),
      { title: 'Reason codes', long: true },
    ],
    rows,
    none: `no decisions. Period: ${periodWords({ range }, 30)}.`,
  });
}

const CHANGES_SHOWN = 3;

export function changesSection(facts: ReportFacts): Html {
  const { changes, changesLeftOut, foreign, lastDecisions } = facts;
  const older = changes.length - CHANGES_SHOWN;
  const suggested = lastDecisions.filter(({ kind }) => kind === 'would_change').length;
  return html`<section data-section="changes" aria-labelledby="changes">
<h2 id="changes">Budget changes</h2>
${effectTable('Newest changes', changes.slice(0, CHANGES_SHOWN), facts)}${suggested > 0 && html`<p>The last run made ${counted(suggested, 'suggestion')}. A suggestion changes nothing. <a href="#decisions">See all decisions.</a></p>\n`}${
  older > 0 &&
  html`<details><summary>${counted(older, 'older change')}: ${periodWords(facts, 90)}</summary>
${effectTable('Older changes', changes.slice(CHANGES_SHOWN), facts)}${changesLeftOut > 0 && html`<p class="note">And ${changesLeftOut} earlier. Run pacekeeper budgets history.</p>\n`}</details>\n`
}${
  foreign.length > 0 &&
  html`<details><summary>${counted(foreign.length, 'change')} by others: ${periodWords(facts, 30)}</summary>
${table({
  caption: 'Budget changes by others, dated when noticed',
  columns: [...words('Budget', 'Noticed'), ...numbers('Last set', 'Found')],
  rows: foreign.map(({ campaignName, budgetId, accountName, customerId, seenAt, expected, found, currency }) => [
    html`${named(campaignName ?? `budget ${budgetId}`)}<br><span class="note">${named(accountName ?? customerId)}</span>`,
    minuteText(seenAt),
    amountText(expected, currency),
    amountText(found, currency),
  ]),
})}</details>\n`
}</section>
`;
}

function effectTable(caption: string, changes: readonly ChangeFacts[], facts: ReportFacts): Html {
  return table({
    caption,
    columns: [
      ...words('Campaign', 'Daily budget'),
      ...numbers('Spend per day', 'Cost per click'),
      { title: 'Why', long: true },
    ],
    rows: changes.map((change) => effectRow(change, facts.ruleTexts)),
    none: `none. Period: ${periodWords(facts, 90)}.`,
  });
}

function effectRow(change: ChangeFacts, texts: ReportFacts['ruleTexts']): Cell[] {
  const { before, after, currency, accountDay, rule, reason } = change;
  const actor = actorWords(change);
  const reference = referenceOf(change);
  const text = isUndo(change) ? undefined : texts?.get(rule);
  const clause = shortLine(reason.split('; ', 1)[0] ?? reason, WHY_MAX);
  const why = text === undefined ? clause : html`${shortLine(text, WHY_MAX)}<br><span class="note">${clause}</span>`;
  const share = shareOfChange(change.to, change.from);
  const about = html`${changeText(change)}${share !== undefined && ` (${share})`}<br><span class="note">${accountDay}, ${actor ?? rule}, ${reference}</span>`;
  if (before === undefined || after === undefined) {
    return [subjectCell(change), about, 'campaigns unknown', undefined, why];
  }
  const spend = sides(before, after, (sums) => costText(perDay(sums.costMicros, sums.days), currency));
  return [
    subjectCell(change),
    about,
    html`${spend}<br><span class="note">${counted(before.days, 'day')} before, ${after.days === 0 ? 'none yet' : after.days} after</span>`,
    sides(before, after, (sums) => costText(perClick(sums), currency)),
    why,
  ];
}

function sides(before: PeriodSums, after: PeriodSums, text: (sums: PeriodSums) => string | undefined): string {
  return `${text(before) ?? '–'}${after.days === 0 ? '' : ` → ${text(after) ?? '–'}`}`;
}

function perDay(sum: bigint | undefined, days: number): bigint | undefined {
  return sum === undefined || days === 0 ? undefined : roundHalfAway(rational(sum, BigInt(days)));
}
