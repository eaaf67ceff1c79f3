import { linkFrom, pathOf } from '../../domain/pages.ts';
import { withoutFullStop } from '../../domain/wording.ts';
import type { AccountMonth } from '../../language/results/account-month.ts';
import { leftOf, type RunTarget } from '../../storage/records/runs/run-result-table.ts';
import { type Html, html } from '../../views/html/html.ts';
import { aside, named } from '../../views/html/table.ts';
import { counted } from '../../views/html/wording.ts';
import { wasMade } from '../../views/report/decision-words.ts';
import { shareOfChange, shortDigits, shortMoney, targetDigits } from '../../views/report/month-words.ts';
import { perMille } from '../../views/report/pace.ts';
import type { ReportFacts } from '../../views/report/report-facts.ts';
import { courseOf, offCourse, offOf } from '../../views/report/shared-targets.ts';

/**
 * The gravest sentence comes first: a failed report, then a target that is off, then changes that await a person. Each
 * comes from facts, in a fixed grammar. Without such facts there is no sentence.
 */
export function findingSection(facts: ReportFacts, months: readonly AccountMonth[], here: string | undefined): Html {
  const sentences = [failedSentence(facts, here), targetSentence(facts), needsSentence(facts)].filter(
    (one) => one !== undefined,
  );
  const scope = scopeWords(facts, months);
  return html`<div data-section="finding">${
    sentences.length > 0 && html`<p class="find">${sentences.map((one) => html`${one} `)}</p>`
  }${scope !== '' && html`<p class="scope">${scope}</p>`}</div>
`;
}

function failedSentence({ lastRun }: ReportFacts, here: string | undefined): Html | undefined {
  const [first] = lastRun?.failures ?? [];
  if (lastRun === undefined || first === undefined) return undefined;
  const name = `The last ${lastRun.command}`;
  const run =
    here === undefined ? name : html`<a href="${linkFrom(here, pathOf('run', { id: lastRun.id }))}">${name}</a>`;
  return html`<strong class="bad">${run} ${lastRun.state === 'refused' ? 'was refused' : lastRun.state}:</strong> ${withoutFullStop(first)}.`;
}

/** Such as "Client: 3 paced budgets are on course for 1,926 of 1,800 EUR, 7% over." */
function targetSentence({ targets }: ReportFacts): Html | undefined {
  const lead = targets?.lead;
  if (lead === undefined) return undefined;
  const course = courseOf(lead);
  const words = offWordsOf(lead);
  if (course === undefined || words === undefined) return undefined;
  const state = course.off === 'over' ? 'bad' : 'warn';
  return html`${subjectOf(lead)} on course for <strong>${targetDigits(course, lead.currency)} ${lead.currency ?? ''}</strong>, <strong class="${state}">${words}</strong>.`;
}

/** Such as "7% over". Undefined if the target is met. */
function offWordsOf(row: RunTarget): string | undefined {
  const course = courseOf(row);
  if (course?.off === undefined) return undefined;
  if (course.isSpent) return 'and all of it is spent';
  const isSame = course.projected > course.target === (course.off === 'over');
  const share = shareOfChange(course.projected, course.target)?.replace(/^[+−]/, '');
  return isSame ? `${share} ${course.off}` : offCourse(row);
}

/** With the verb, because a target of several budgets is a plural. */
export function subjectOf({ rule, customerId, accountName, subject, covers }: RunTarget): Html {
  if (customerId === undefined) return html`Target ${aside(rule)} (${subject}) is`;
  const account = named(accountName ?? customerId);
  if (covers.length === 0) return html`${account}, ${aside(rule)}, is`;
  return covers.length === 1
    ? html`${account}: ${named(covers[0] ?? '')} is`
    : html`${account}: ${covers.length} paced budgets are`;
}

function needsSentence({ needs }: ReportFacts): string | undefined {
  const of = (kind: ReportFacts['needs'][number]['kind']) => needs.filter((need) => need.kind === kind).length;
  const waits = of('approval');
  const doubt = of('doubt');
  const parts = [
    ...(doubt > 0 ? [`${counted(doubt, 'change')} ${doubt === 1 ? 'is' : 'are'} in doubt.`] : []),
    ...(of('lost') > 0 ? ['Alerts were not delivered.'] : []),
    ...(waits > 0 ? [`${counted(waits, 'change')} ${waits === 1 ? 'awaits' : 'await'} approval.`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** The rest: other targets that are off, the last week, and the result of the last report. */
function scopeWords(facts: ReportFacts, months: readonly AccountMonth[]): string {
  const { targets, decidingRun, lastDecisions, lastRun } = facts;
  const others = (targets?.rows ?? []).filter((row) => offOf(row) !== undefined && courseOf(row) !== undefined).length;
  const withheld = (targets?.rows ?? []).filter(({ reason }) => reason !== undefined).length;
  const hasLead = targets?.lead !== undefined && offOf(targets.lead) !== undefined;
  const more = others - Number(hasLead);
  const made = lastDecisions.filter(wasMade).length;
  const suggested = lastDecisions.filter(({ kind }) => kind === 'would_change').length;
  const none = lastRun?.state === 'done' ? 'No target is set.' : 'No target is known.';
  return [
    ...(targets === undefined && months.length > 0 ? [none] : []),
    ...(more > 0 ? [`${counted(more, hasLead ? 'other target' : 'target')} off course.`] : []),
    ...(withheld > 0 ? [`${counted(withheld, 'target')} withheld.`] : []),
    ...weekWords(months),
    ...(decidingRun === undefined
      ? []
      : [
          `Run ${decidingRun} changed ${counted(made, 'budget')}${suggested > 0 ? ` and suggested ${suggested}` : ''}.`,
        ]),
  ].join(' ');
}

/** Such as "Spend of the last 7 days against the 7 before: −2% to 0% in 4 accounts." */
function weekWords(months: readonly AccountMonth[]): string[] {
  const compared = months.flatMap(({ week, weekBefore }) => {
    const change = perMille(week === undefined || weekBefore === undefined ? undefined : week - weekBefore, weekBefore);
    return change === undefined ? [] : [{ change, words: shareOfChange(week, weekBefore) ?? '' }];
  });
  const sorted = compared.toSorted((one, other) => Number(one.change - other.change));
  const least = sorted[0]?.words;
  const most = sorted.at(-1)?.words;
  if (least === undefined || most === undefined) return [];
  const range = least === most ? least : `${least} to ${most}`;
  return [
    `Spend of the last 7 days against the 7 before: ${range}${compared.length > 1 ? ` in ${compared.length} accounts` : ''}.`,
  ];
}

/** Such as "1,748 EUR spent, 52 left". */
export function leftWords(row: RunTarget): string {
  const left = leftOf(row);
  const spent = `${shortMoney(row.spent, row.currency) ?? 'An unknown amount'} spent`;
  if (left === undefined) return spent;
  return left < 0n
    ? `${spent}, ${shortDigits(-left, row.currency)} too much`
    : `${spent}, ${shortDigits(left, row.currency)} left`;
}
