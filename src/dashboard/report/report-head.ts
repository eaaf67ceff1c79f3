import { type CivilDate, endOfGrain, minuteText } from '../../domain/civil-date.ts';
import { modeWords } from '../../domain/frozen.ts';
import { shortLine } from '../../domain/outside-text.ts';
import { linkFrom, PAGES, pathOf } from '../../domain/pages.ts';
import { listed } from '../../domain/wording.ts';
import type { AccountMonth, MonthTarget } from '../../language/results/account-month.ts';
import { RUN_WORDS } from '../../storage/columns/state-words.ts';
import type { RunTarget } from '../../storage/records/runs/run-result-table.ts';
import { type Html, html } from '../../views/html/html.ts';
import { aside, named } from '../../views/html/table.ts';
import { counted, monthText, stateText } from '../../views/html/wording.ts';
import {
  coveredBudgets,
  lackedWords,
  offWords,
  shareOfChange,
  shortMoney,
  targetDigits,
} from '../../views/report/month-words.ts';
import { perMille } from '../../views/report/pace.ts';
import type { LastRun, ReportFacts } from '../../views/report/report-facts.ts';
import { courseOf, offCourse, sharedCourse, sharedRest, sharedTargets } from '../../views/report/shared-targets.ts';

/** Parts that only the dashboard adds. */
export interface Lead {
  /** The path of the page. With a path, accounts and sums become links. */
  readonly here: string;
  /** True if the visitor may undo changes, and no freeze forbids it. */
  readonly canUndo: boolean;
  /** An item of the line about run and data. */
  readonly now: Html;
  readonly top: Html;
  readonly first: Html | undefined;
  readonly run: bigint | undefined;
}

export function head(facts: ReportFacts, lead: Lead | undefined): Html {
  const { lastRun, asOf, target, mode, frozen, notes } = facts;
  const isShown = lead === undefined || lastRun?.id !== lead.run;
  return html`<ul class="line">${lead?.now}
<li>${asOf === undefined ? 'No data yet' : html`Numbers as of <time datetime="${asOf}">${minuteText(asOf)}</time>`}</li>
<li>${target ?? 'Target unknown yet'}</li>
<li>Mode ${modeWords(mode, frozen)}</li>
${isShown && html`<li>${lastRun === undefined ? 'No run yet' : runWords(lastRun)}</li>\n`}</ul>
${notes.map((note) => html`<p class="note">${note}</p>\n`)}${lead?.top}`;
}

function runWords(run: LastRun): Html {
  return html`Run ${run.id}, pacekeeper ${run.command}${run.dryRun && ' (dry run)'}: ${stateText(RUN_WORDS[run.state])}`;
}

const TARGETS_MAX = 6;
const TEXT_MAX = 90;

/** Targets of several accounts. Those of one account stand in the table of accounts. */
export function targetsSection({ targets }: ReportFacts): Html | false {
  const shared = sharedTargets(targets?.rows);
  if (shared.length === 0) return false;
  const more = shared.length - TARGETS_MAX;
  return html`<section data-section="targets" aria-labelledby="shared">
<h2 id="shared">Targets of several accounts</h2>
<ul class="todo">${shared.slice(0, TARGETS_MAX).map((row) => html`<li>${sharedHeadline(row)}</li>\n`)}</ul>${more > 0 && html`<p class="note">${counted(more, 'more target')} under “Decisions of the rules”.</p>\n`}</section>
`;
}

/** The sentences about one account, for its page. */
export function accountFinding(months: readonly AccountMonth[], facts: ReportFacts): Html | false {
  const [month] = months;
  const shared = sharedTargets(facts.targets?.rows);
  const about = month?.target && facts.ruleTexts?.get(month.target.rule);
  return html`${month && html`<p class="find" data-section="finding">${headline(month, facts)}</p>\n`}${about !== undefined && html`<p class="scope">${shortLine(about, TEXT_MAX)}</p>\n`}${shared.map((row) => html`<p class="scope">${sharedHeadline(row)}</p>\n`)}`;
}

function sharedHeadline(row: RunTarget): Html {
  const { rule, subject, currency, reason } = row;
  const course = courseOf(row);
  const off = offCourse(row);
  const words =
    course === undefined
      ? html`<span class="${reason === undefined ? 'note' : 'bad'}">${sharedCourse(row)}</span>`
      : html`on course for <strong>${targetDigits(course, currency)} ${currency}</strong> (${shareOfChange(course.projected, course.target)}${off !== undefined && html`, <span class="${course.projected > course.target ? 'bad' : 'warn'}">${off}</span>`})`;
  return html`<strong>${aside(rule)}</strong>, ${subject}: ${words}. ${sharedRest(row).join(' ')}`;
}

function headline(month: AccountMonth, { lastRun }: ReportFacts): Html {
  const { name, customerId, currency, spent, monthEnd, target, lackedDays, memberOf } = month;
  const called = html`<strong>${named(name ?? customerId)}</strong>`;
  if (month.month === undefined) return html`${called} has no complete day yet.`;
  const inMonth = monthName(month.month);
  const isOver = month.completeUntil === endOfGrain('month', month.month);
  if (target?.isWhole) {
    return html`${called} is on course for ${courseWords(target, currency)} in ${inMonth}. ${weekWords(month)}`;
  }
  const covered = target && coveredBudgets(target);
  const aim =
    target === undefined && memberOf.length > 0
      ? html`Counts towards the target ${aside(listed(memberOf))}.`
      : target === undefined
        ? html`<span class="note">${lastRun?.state === 'done' ? 'No target is set.' : 'No target is known.'}</span>`
        : html`Target of ${aside(target.rule)}${covered && `, ${covered}`}${target.month !== month.month && ` in ${monthName(target.month)}`}: on course for ${courseWords(target, currency)}.`;
  return html`${called} spent <strong>${shortMoney(spent, currency) ?? 'an unknown amount'}</strong> in ${inMonth}${lackedDays > 0 && ` (${lackedWords(lackedDays)})`}${monthEnd !== undefined && !isOver && html` and is on course for ${shortMoney(monthEnd, currency)}`}. ${aim} ${weekWords(month)}`;
}

function monthName(day: CivilDate): string {
  return monthText(day).replace(/ \d+$/, '');
}

/** In tenths of a percent. */
const NOTABLE = 30n;

function weekWords({ week, weekBefore, driver }: AccountMonth): Html | false {
  const change = perMille(week === undefined || weekBefore === undefined ? undefined : week - weekBefore, weekBefore);
  if (change === undefined) return false;
  const isNotable = driver !== undefined && (change >= NOTABLE || change <= -NOTABLE);
  const share = shareOfChange(week, weekBefore)?.replace(/^[+−]/, '');
  const words = share === '0%' ? 'as much as' : `${share} ${change > 0n ? 'more' : 'less'} than`;
  return html`Last 7 days: ${words} the 7 before${isNotable && html`, most of all ${named(driver)}`}.`;
}

function courseWords(one: MonthTarget, currency: string | undefined): Html {
  const share = shareOfChange(one.projected, one.target) ?? '';
  return html`<strong>${targetDigits(one, currency)} ${currency ?? ''}</strong> (${offText(share, one)})`;
}

/** Only a miss of a target has a colour. A month below its cap needs no warning. */
export function offText(text: string, target: MonthTarget): Html {
  const words = offWords(target);
  if (words === undefined) return html`${text}`;
  return html`<span class="${target.off === 'over' ? 'bad' : 'warn'}">${text}, ${words}</span>`;
}

const NEEDS_MAX = 10;
/** More failures than this leave room for what awaits a person. */
const FAILURES_MAX = 5;

/** `here` is the path of a page of the dashboard. Without it, commands replace links. */
export function needsSection(facts: ReportFacts, here: string | undefined): Html {
  const { lastRun, needs, needsElsewhere } = facts;
  const linked = (path: string, words: string) => here && html` <a href="${linkFrom(here, path)}">${words}</a>`;
  const run = lastRun && linked(pathOf('run', { id: lastRun.id }), `Run ${lastRun.id}`);
  const failures = (lastRun?.failures ?? []).map((one) => html`<span class="bad">Failed:</span> ${one}${run}`);
  const asked = needs.map((need) => html`${need.words}${linked(need.path, need.way) ?? ` ${need.step}`}`);
  const all = [...failures.slice(0, Math.max(FAILURES_MAX, NEEDS_MAX - asked.length)), ...asked];
  const shown = all.slice(0, NEEDS_MAX);
  const count = failures.length + asked.length;
  const rest = count - shown.length;
  const hidden =
    needsElsewhere === 1 ? '1 thing outside this filter needs' : `${needsElsewhere} things outside this filter need`;
  return html`<section data-section="needs-you" aria-labelledby="needs-you">
<div class="head"><h2 id="needs-you">Needs you</h2>${count > 0 && html`<span class="badge${failures.length > 0 ? ' bad' : ' acts'}">${count}</span>`}<span class="right">${linked(PAGES.inbox.path, 'Inbox')}</span></div>
${
  count > 0
    ? html`<ul class="todo">${shown.map((one) => html`<li>${one}</li>`)}</ul>`
    : html`<p class="none">${needsElsewhere > 0 ? 'Nothing here needs you.' : 'Nothing needs you.'}</p>`
}${needsElsewhere > 0 && html`<p class="note">${hidden} you.</p>`}${rest > 0 && html`<p class="note">And ${rest} more.${here === undefined && ' Run pacekeeper status.'}</p>`}</section>
`;
}
