import { isMade, isUndo, makerWords } from '../../domain/budget-change.ts';
import { minuteText } from '../../domain/civil-date.ts';
import { isRefused, isWaiting } from '../../domain/decision-facts.ts';
import { shortLine } from '../../domain/outside-text.ts';
import { linkFrom, PAGES, pathOf } from '../../domain/pages.ts';
import { rational, roundHalfAway } from '../../domain/rational.ts';
import { rateText } from '../../language/rules/pacing/pace-words.ts';
import { EXPECTED, FOUND, SEEN_AT } from '../../storage/columns/budget-columns.ts';
import type { Column } from '../../storage/columns/column.ts';
import type { RecordedDecision } from '../../storage/records/budgets/decision-table.ts';
import type { RunTarget } from '../../storage/records/runs/run-result-table.ts';
import { type Html, html } from '../../views/html/html.ts';
import { campaignLink, fold } from '../../views/html/parts.ts';
import { named } from '../../views/html/table.ts';
import { amountText, changeText, costText, counted } from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { onPage } from '../../views/kit/page-column.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { LEFT, PACE_COLUMNS } from '../../views/pacing.ts';
import {
  accountOf,
  codeWord,
  DECIDED_ON,
  RECORDED_DECISION_COLUMNS,
  ruleWords,
  type ShownDecision,
  WHY_MAX,
} from '../../views/recorded-decisions.ts';
import { actorWords, referenceOf, shortSubject, wasMade } from '../../views/report/decision-words.ts';
import { shareOfChange } from '../../views/report/month-words.ts';
import { perClick } from '../../views/report/pace.ts';
import type { ChangeFacts, ForeignFacts, PeriodSums, ReportFacts } from '../../views/report/report-facts.ts';
import { actPath } from '../inbox/acts.ts';
import { periodWords } from './report-filter.ts';

const LAST_MAX = 40;
const MONTH_MAX = 60;

/** `here` is the path of a page of the dashboard. */
export function decisionsFold(facts: ReportFacts, here: string | undefined): Html {
  const { decisions, decidingRun, lastDecisions, runsWithoutRefusals: without, targets } = facts;
  const more = lastDecisions.length - LAST_MAX;
  const isMore = decisions.length > (facts.range?.isChosen ? 0 : lastDecisions.length);
  const title = `Decisions of the rules (${lastDecisions.length} in the last run)`;
  return fold(
    { id: 'decisions', title },
    html`<h3>The last run</h3>
${decisionTable(facts, here, `Decisions of run ${decidingRun ?? '(none yet)'}`, lastDecisions.slice(0, LAST_MAX), 'no changes, suggestions, refusals or requests for approval.')}${more > 0 && html`<p class="note">And ${more} more. The published table <code>decision</code> has all.</p>\n`}${targetsPart(targets)}<h3>By rule, ${periodWords(facts, 30)}</h3>
${ruleTable(facts)}${without > 0 && html`<p class="note">Not recorded: refusals and suggestions of ${without} ${without === 1 ? 'run' : 'runs'} of an earlier version.</p>\n`}${
  isMore &&
  html`<details><summary>All decisions: ${periodWords(facts, 30)}</summary>
${decisionTable(facts, here, `Decisions: ${periodWords(facts, 30)}`, decisions.slice(0, MONTH_MAX), '')}${decisions.length > MONTH_MAX && html`<p class="note">The newest ${MONTH_MAX} of ${decisions.length}. The published table <code>decision</code> has all.</p>\n`}</details>\n`
}`,
  );
}

const TARGETS_MAX = 200;

const TARGET_COLUMNS: readonly Column<RunTarget>[] = [
  ...PACE_COLUMNS,
  LEFT,
  onPage.text('Note', ({ rates, reason }) => [...(reason ? [reason] : []), ...rates.map(rateText)].join('; '), {
    long: true,
  }),
];

function targetsPart(targets: ReportFacts['targets']): Html | false {
  if (targets === undefined) return false;
  const { runId, at, rows } = targets;
  const left = rows.length - TARGETS_MAX;
  return html`<h3 id="targets">Monthly targets</h3>
<p>From run ${runId} at ${minuteText(at)}. “Should be” is the budget after all limits and guards. Run pacekeeper pacing for reasons, with --format html for charts.</p>
${htmlTable(sheetOf(TARGET_COLUMNS, rows.slice(0, TARGETS_MAX), 'people'), { caption: 'Targets of rules and of several accounts', none: 'none.' })}${left > 0 && html`<p class="note">${counted(left, 'more target')} ${left === 1 ? 'is' : 'are'} not shown.</p>\n`}`;
}

function withRuleText<Decision extends RecordedDecision>(decisions: readonly Decision[], { ruleTexts }: ReportFacts) {
  return decisions.map((decision) => ({ ...decision, ruleText: ruleTexts?.get(decision.rule) }));
}

function decisionTable(
  facts: ReportFacts,
  path: string | undefined,
  caption: string,
  decisions: readonly RecordedDecision[],
  none: string,
): Html {
  return htmlTable(sheetOf(RECORDED_DECISION_COLUMNS, withRuleText(decisions, facts), 'people'), {
    caption,
    none,
    path,
  });
}

interface OfRule extends Pick<ShownDecision, 'rule' | 'ruleText'> {
  readonly decided: readonly RecordedDecision[];
}

const numberOf =
  (test: (decision: RecordedDecision) => boolean) =>
  ({ decided }: OfRule) =>
    decided.filter(test).length;
const ofKind = (wanted: RecordedDecision['kind']) => numberOf(({ kind }) => kind === wanted);
const madeBy = (who: RecordedDecision['origin']) => numberOf((one) => wasMade(one) && one.origin === who);

const RULE_COLUMNS: readonly Column<OfRule>[] = [
  onPage.text('Rule', ({ rule }: OfRule) => rule, { note: ruleWords }),
  onPage.count('Changed by the rule', madeBy('rule')),
  onPage.count('Changed after approval', madeBy('approval')),
  onPage.count('Undone by people', madeBy('undo')),
  onPage.count(
    'Planned, not made',
    numberOf((one) => one.kind === 'change' && !wasMade(one)),
  ),
  onPage.count('Suggested', ofKind('would_change')),
  onPage.count('Approval requested', ofKind('proposal')),
  onPage.count(
    'Approved',
    // The change of an approved request is a decision of its own.
    numberOf(({ kind, proposal }) => kind === 'proposal' && proposal?.state === 'approved'),
  ),
  onPage.count('Awaiting approval', numberOf(isWaiting)),
  onPage.count('Refused', numberOf(isRefused)),
  onPage.list('Reason codes', ({ decided }) => [...refusalCodes(decided).keys()], {
    long: true,
    page: ({ decided }) =>
      html`<span class="note">${[...refusalCodes(decided)].map(([code, own], index) => html`${index > 0 && ', '}${codeWord(code)} ${own.length}×`)}</span>`,
  }),
];

function refusalCodes(decided: readonly RecordedDecision[]) {
  return Map.groupBy(decided.filter(isRefused), ({ code = 'no code' }) => code);
}

function ruleTable(facts: ReportFacts): Html {
  const rows = [...Map.groupBy(withRuleText(facts.decisions, facts), ({ rule }) => rule)]
    .map(([rule, decided]): OfRule => ({ rule, ruleText: decided[0]?.ruleText, decided }))
    .sort((one, other) => (one.rule < other.rule ? -1 : 1));
  return htmlTable(sheetOf(RULE_COLUMNS, rows, 'people'), {
    caption: 'By rule',
    none: `no decisions. Period: ${periodWords(facts, 30)}.`,
  });
}

const FOREIGN_COLUMNS: readonly Column<ForeignFacts>[] = [
  onPage.text('Budget', (change: ForeignFacts) => change.campaignName ?? `budget ${change.budgetId}`, {
    note: accountOf,
  }),
  { ...SEEN_AT, title: 'Noticed', only: undefined },
  { ...EXPECTED, title: 'Last set', only: undefined },
  { ...FOUND, title: 'Found', only: undefined },
];

const CHANGES_SHOWN = 5;

/** `here` is the path of a page of the dashboard. With `canUndo`, a change leads to its undo. */
export function changesSection(facts: ReportFacts, at: ChangesAt = {}): Html {
  const { here, canUndo = false } = at;
  const more = at.more ?? (here && html`<a href="${linkFrom(here, PAGES.log.path)}">Change log</a>`);
  const { changes, changesLeftOut, foreign, lastDecisions } = facts;
  const older = changes.length - CHANGES_SHOWN;
  const suggested = lastDecisions.filter(({ kind }) => kind === 'would_change').length;
  const undone = new Set(changes.map(({ intent }) => intent?.undoes));
  const events = withRuleText(changes.slice(0, CHANGES_SHOWN), facts).map((change) => {
    const isOpen = canUndo && change.intent !== undefined && isMade(change.intent) && !undone.has(change.intent.id);
    return changeEvent(change, here, isOpen);
  });
  return html`<section data-section="changes" aria-labelledby="changes">
<h2 id="changes">Budget changes</h2>
${events.length > 0 ? html`<ol class="events">${events}</ol>` : html`<p class="none">No budget changed. Period: ${periodWords(facts, 90)}.</p>`}${
  events.length > 0 &&
  html`<details><summary>As a table, with costs per click</summary>
${effectTable('Newest changes', changes.slice(0, CHANGES_SHOWN), facts)}</details>\n`
}${suggested > 0 && html`<p class="note">The last run made ${counted(suggested, 'suggestion')}. A suggestion changes nothing.${here === undefined || here === PAGES.overview.path ? html` <a href="#decisions">See all decisions.</a>` : undefined}</p>\n`}${
  older > 0 &&
  html`<details><summary>${counted(older, 'older change')}: ${periodWords(facts, 90)}</summary>
${effectTable('Older changes', changes.slice(CHANGES_SHOWN), facts)}${changesLeftOut > 0 && html`<p class="note">And ${changesLeftOut} earlier${here === undefined ? '. Run pacekeeper budgets history' : html`, in the <a href="${linkFrom(here, PAGES.log.path)}">change log</a>`}.</p>\n`}</details>\n`
}${
  foreign.length > 0 &&
  html`<details><summary>${counted(foreign.length, 'change')} by others: ${periodWords(facts, 30)}</summary>
${htmlTable(sheetOf(FOREIGN_COLUMNS, foreign, 'people'), { caption: 'Budget changes by others, dated when noticed' })}</details>\n`
}${more && html`<p class="ways">${more}</p>`}</section>
`;
}

interface ChangesAt {
  readonly here?: string | undefined;
  readonly canUndo?: boolean;
  /** A link at the end. */
  readonly more?: Html;
}

/** The change with its amounts, who made it and why, its effect, and a link to undo it. */
function changeEvent(change: ShownEffect, here: string | undefined, isOpen: boolean): Html {
  const { from, to, currency, at, customerId, budgetId, before, after } = change;
  const name = named(shortSubject(change));
  const subject =
    here === undefined || budgetId === undefined
      ? html`<strong>${name}</strong>`
      : html`<a href="${linkFrom(here, pathOf('budget', { customer: customerId, budget: budgetId }))}">${name}</a>`;
  const campaign = campaignLink(change, here);
  const share = shareOfChange(to, from);
  const who = actorWords(change) ?? makerWords(change.rule);
  const spend = sides(change, ({ costMicros, days }) => costText(perDay(costMicros, days), currency));
  const followed =
    spend !== undefined && before && after
      ? ` Spend per day ${spend} (${counted(before.days, 'day')} before, ${after.days} after).`
      : '';
  const reference = referenceOf(change);
  const undo = here !== undefined && isOpen && reference !== undefined;
  return html`<li><time datetime="${at}">${minuteText(at)}</time><div>
<p>${subject} ${campaign && html`<small>${campaign}</small> `}${verbOf(change)} <strong class="amount">${amountText(to, currency)}</strong> a day <span class="muted">from ${amountText(from, currency)}${share && `, ${share}`}</span></p>
<p class="note">${accountOf(change, undefined)} · ${who}${reference && `, ${reference}`} · ${whyChanged(change)}${followed}</p></div>${
    undo &&
    html`<a class="button" href="${linkFrom(here, actPath({ act: 'undo', on: reference }))}">Undo ${reference}</a>`
  }</li>
`;
}

function verbOf(change: ShownEffect): string {
  const { from, to } = change;
  if (isUndo(change)) return 'set back to';
  return from !== undefined && to !== undefined && to < from ? 'cut to' : 'raised to';
}

type ShownEffect = ChangeFacts & ShownDecision;

const EFFECT_COLUMNS: readonly Column<ShownEffect>[] = [
  DECIDED_ON,
  onPage.money('Daily budget', 'to', {
    page: (change) => {
      const share = shareOfChange(change.to, change.from);
      return html`${changeText(change)}${share !== undefined && ` (${share})`}`;
    },
    note: (change) => `${change.accountDay}, ${actorWords(change) ?? change.rule}, ${referenceOf(change)}`,
  }),
  onPage.money('Spend per day', undefined, {
    shown: (change) =>
      sides(change, ({ costMicros, days }) => costText(perDay(costMicros, days), change.currency)) ?? 'unknown',
    note: ({ before, after }) => before && after && `${counted(before.days, 'day')} before, ${after.days} after`,
  }),
  onPage.money('Cost per click', undefined, {
    shown: (change) => sides(change, (sums) => costText(perClick(sums), change.currency)),
  }),
  onPage.text('Why', whyChanged, {
    long: true,
    note: (change) => (whyChanged(change) === clauseOf(change) ? undefined : clauseOf(change)),
  }),
];

function clauseOf({ reason }: ShownEffect): string {
  return shortLine(reason.split('; ', 1)[0] ?? reason, WHY_MAX);
}

function whyChanged(change: ShownEffect): string {
  return (isUndo(change) ? undefined : ruleWords(change)) ?? clauseOf(change);
}

function effectTable(caption: string, changes: readonly ChangeFacts[], facts: ReportFacts): Html {
  return htmlTable(sheetOf(EFFECT_COLUMNS, withRuleText(changes, facts), 'people'), {
    caption,
    none: `none. Period: ${periodWords(facts, 90)}.`,
  });
}

function sides({ before, after }: ChangeFacts, text: (sums: PeriodSums) => string | undefined): string | undefined {
  if (before === undefined || after === undefined) return undefined;
  return `${text(before) ?? '–'}${after.days === 0 ? '' : ` → ${text(after) ?? '–'}`}`;
}

function perDay(sum: bigint | undefined, days: number): bigint | undefined {
  return sum === undefined || days === 0 ? undefined : roundHalfAway(rational(sum, BigInt(days)));
}
