import { makerWords } from '../../domain/budget-change.ts';
import type { DecisionFacts, PlannedDecision } from '../../domain/decision-facts.ts';
import { formatMoneyChange } from '../../domain/micros.ts';
import { grouped } from '../../domain/wording.ts';
import type { RuleResult } from '../../language/results/report-result.ts';
import { RULE_SUMMARY_COLUMNS, type RuleSummary } from '../decision-columns.ts';
import { sheetOf } from '../kit/sheet.ts';
import { terminalTable } from '../kit/terminal.ts';
import {
  bullets,
  firstOf,
  LINES_MAX,
  type NameOf,
  oneLine,
  type TextLayout,
  withId,
  wrapText,
} from '../text/text-layout.ts';
import { detailWords, endWord, fullSubject, personWords, referenceOf } from './decision-words.ts';

/** With `isDetailed` false, the run's failures already have the details. */
export function decisionBlocks(
  decisions: readonly DecisionFacts[],
  nameOf: NameOf,
  layout: TextLayout,
  isDetailed = true,
): string {
  return decisions.map((decision) => decisionBlock(decision, nameOf, layout, isDetailed)).join('\n');
}

/** Text such as "REFUSED  The cooldown lasts until …". */
export function decisionLine(decision: PlannedDecision, isOneOfSeveral = false): string {
  const { budgetId, campaignId, change } = decision;
  const subject = fullSubject(decision);
  const budget = !isOneOfSeveral
    ? `budget ${budgetId}`
    : campaignId === undefined
      ? subject
      : `${subject}, budget ${budgetId}`;
  const words = change === undefined ? detailWords(decision) : `${budget}: ${change}`;
  return `${upperWord(decision)}  ${oneLine(words ?? '')}`;
}

function upperWord(decision: DecisionFacts): string {
  return endWord(decision)[0].toUpperCase();
}

function decisionBlock(
  decision: DecisionFacts,
  nameOf: NameOf,
  { width, bold }: TextLayout,
  isDetailed: boolean,
): string {
  const { customerId, rule, reason, from, to, currency, kind } = decision;
  const detail = isDetailed ? detailWords(decision) : undefined;
  const reference = referenceOf(decision);
  const amounts = from === undefined || to === undefined ? '' : `: ${formatMoneyChange(from, to, currency)}`;
  const head = `${upperWord(decision)}  ${oneLine(fullSubject(decision))}${amounts}`;
  const origin = oneLine(personWords(decision) ?? makerWords(rule));
  const about = reference === undefined ? origin : `${origin}, ${kind === 'proposal' ? 'code ' : ''}${reference}`;
  const lines = [
    bold(wrapText(head, width, '  ', '    ')),
    wrapText(`${withId(customerId, nameOf)}, ${about}`, width, '    ', '    '),
    wrapText(oneLine(reason), width, '    ', '    '),
    ...(detail === undefined ? [] : [wrapText(oneLine(detail), width, '    ', '    ')]),
  ];
  return lines.join('\n');
}

export function rulesTable(rules: readonly RuleResult[], nameOf: NameOf, layout: TextLayout): string {
  const summaries = ruleSummaries(rules, nameOf);
  const table = summaries.length === 0 ? '' : terminalTable(sheetOf(RULE_SUMMARY_COLUMNS, summaries, 'people'), layout);
  return [table, bullets(notEvaluated(rules, nameOf), layout)].filter((block) => block !== '').join('\n');
}

export function ruleSummaries(rules: readonly RuleResult[], nameOf: NameOf): RuleSummary[] {
  const evaluated = rules.filter((one) => one.notEvaluated === undefined);
  if (evaluated.length <= LINES_MAX) return evaluated.map((one) => ({ ...one, account: nameOf(one.customerId) }));
  return grouped(evaluated, ({ rule }) => rule).map((results) => {
    const sum = (name: 'subjects' | 'fired' | 'unknown') => results.reduce((total, one) => total + one[name], 0);
    return {
      rule: results[0]?.rule ?? '',
      account: results.length,
      subjects: sum('subjects'),
      fired: sum('fired'),
      unknown: sum('unknown'),
    };
  });
}

export function notEvaluated(rules: readonly RuleResult[], nameOf: NameOf): string[] {
  const left = rules.filter((one) => one.notEvaluated !== undefined);
  return grouped(left, ({ rule, notEvaluated: why }) => `${rule}\n${why}`).map((group) => {
    const [first] = group;
    const names = firstOf(
      group.map(({ customerId }) => nameOf(customerId)),
      LINES_MAX,
    );
    // A rule for one currency always skips other currencies. The line must not sound like a failure.
    return first?.isOfOtherCurrency === true
      ? `${first.rule} is ${first.notEvaluated}. Skipped: ${names}`
      : `${first?.rule} not evaluated: ${first?.notEvaluated}. Accounts: ${names}`;
  });
}
