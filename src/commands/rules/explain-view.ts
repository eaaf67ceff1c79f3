import { minuteText } from '../../domain/civil-date.ts';
import { modeWords } from '../../domain/frozen.ts';
import type { ExplainedSubject, ExplanationResult } from '../../language/results/report-result.ts';
import { accountNames, BUDGET, CAMPAIGN, CUSTOMER } from '../../storage/columns/budget-columns.ts';
import { type Column, json, list, state, text } from '../../storage/columns/column.ts';
import { DECISION_COLUMNS, SUBJECT_WORDS, TRUTH_WORDS } from '../../views/decision-columns.ts';
import { jsonObject } from '../../views/kit/json.ts';
import { type Listing, memberPart, part } from '../../views/kit/listing.ts';
import { decisionLine } from '../../views/report/render-decisions.ts';
import { ACCOUNTS, FAILED, membersOf, NOT_EVALUATED, NOTES, RULES, RULES_SAID } from '../../views/rule-parts.ts';
import { LINES_MAX, NOTHING_READ } from '../../views/text/text-layout.ts';
import { RULE_COLUMNS } from './list-view.ts';

interface ShownSubject extends ExplainedSubject {
  readonly accountName?: string | undefined;
}

const ORDER = Object.keys(TRUTH_WORDS);
const TRUTH = state('truth', 'true, false or unknown.', 'truth');

const SUBJECT_COLUMNS: readonly Column<ShownSubject>[] = [
  { ...TRUTH, title: 'State', only: ['people'], word: ({ truth }) => TRUTH_WORDS[truth] },
  { ...SUBJECT_WORDS, title: 'Subject', only: ['people'] },
  CUSTOMER,
  SUBJECT_WORDS,
  CAMPAIGN,
  BUDGET,
  TRUTH,
  text('explanation', 'The condition with its values and the days used.', 'explanation'),
  json('clauses', 'The parts of the condition, and which of them decided.', ({ clauses }) =>
    clauses.map(({ text: clause, truth, decided }) => ({ text: clause, truth, decided })),
  ),
  text('alert', 'The text of the alert.', 'alert'),
  json('decisions', 'The resulting decisions.', ({ decisions }) =>
    decisions.map((one) => jsonObject(DECISION_COLUMNS, one)),
  ),
  list('words', 'The reason and the resulting decisions.', subjectLines, {
    title: 'Why',
    long: 'lines',
    only: ['people'],
  }),
];

export const RULES_EXPLAIN: Listing<ExplanationResult> = {
  name: 'rules explain',
  about: 'A rule, and each of its subjects with the numbers used.',
  frozen: ({ frozen }) => frozen,
  before: ({ rule, target, frozen, evaluatedAt, unread }) => [
    `rule ${rule.name}@${rule.version} · ${minuteText(evaluatedAt)} · ${target} · ${rule.change === undefined ? 'alerts only' : `mode ${modeWords(rule.effectiveMode, frozen)}`}`,
    rule.description,
    ...(unread ? [NOTHING_READ] : []),
  ],
  after: (result) => {
    const rest = result.subjects.length - shownOf(result).length;
    return rest > 0 ? [`${rest.toLocaleString('en-US')} more: name a campaign with --campaign ID.`] : [];
  },
  json: (result) => ({ rule: jsonObject(RULE_COLUMNS, result.rule), ...membersOf(result) }),
  parts: [
    ACCOUNTS,
    { ...RULES, json: 'results' },
    RULES_SAID,
    NOT_EVALUATED,
    memberPart('subjects', { only: ['json'], title: 'Subjects', columns: SUBJECT_COLUMNS }),
    part({
      only: ['people'],
      title: 'Subjects',
      columns: SUBJECT_COLUMNS,
      rows: (result) => shownOf(result).map(accountNames(result.accounts)),
    }),
    NOTES,
    FAILED,
  ],
};

function shownOf({ subjects }: ExplanationResult): ExplainedSubject[] {
  const sorted = subjects.toSorted((one, other) => ORDER.indexOf(one.truth) - ORDER.indexOf(other.truth));
  return sorted.filter(({ truth }, index) => truth === 'true' || index < LINES_MAX);
}

function subjectLines(subject: ShownSubject): string[] {
  const { explanation, clauses, alert, decisions } = subject;
  const deciding = clauses.filter(({ decided }) => decided);
  const isPart = deciding.length > 0 && deciding.length < clauses.length;
  // People do not know budget ids, so the campaign is named.
  const isOfSeveral = subject.campaignId === undefined && subject.budgetId === undefined;
  return [
    explanation,
    ...(isPart ? [`Decided by: ${deciding.map(({ text: clause, truth }) => `${clause} is ${truth}`).join('; ')}`] : []),
    ...(alert === undefined ? [] : [`Alert: ${alert}`]),
    ...decisions.map((decision) => decisionLine(decision, isOfSeveral)),
  ];
}
