import { formatMoneyChange } from '../../domain/micros.ts';
import { grouped } from '../../domain/wording.ts';
import type { DecisionResult, RuleResult } from '../../language/results/report-result.ts';
import { decisionWord } from '../../storage/columns/state-words.ts';
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

export function decisionBlocks(decisions: readonly DecisionResult[], nameOf: NameOf, layout: TextLayout): string {
  return decisions.map((decision) => decisionBlock(decision, nameOf, layout)).join('\n');
}

/** Text such as "REFUSED  The cooldown lasts until …". */
export function decisionLine(decision: DecisionResult, isOneOfSeveral = false): string {
  const { budgetId, campaignId, change, detail, subject } = decision;
  const budget = !isOneOfSeveral
    ? `budget ${budgetId}`
    : campaignId === undefined
      ? subject
      : `${subject}, budget ${budgetId}`;
  const clause = change === undefined ? amounts(decision) : `: ${change}`;
  const parts = [...(clause === '' ? [] : [`${budget}${clause}`]), ...(detail === undefined ? [] : [detail])];
  return `${stateText(decision)}  ${oneLine(parts.join('. '))}${referenceOf(decision)}`;
}

function stateText(decision: DecisionResult): string {
  return decisionWord(decision)[0].toUpperCase();
}

function decisionBlock(decision: DecisionResult, nameOf: NameOf, { width, bold }: TextLayout): string {
  const { subject, customerId, rule, reason, detail, origin = `rule ${rule}` } = decision;
  const reference = referenceOf(decision);
  const head = `${stateText(decision)}  ${oneLine(subject)}${amounts(decision)}`;
  const lines = [
    bold(wrapText(head, width, '  ', '    ')),
    wrapText(`${withId(customerId, nameOf)}, ${oneLine(origin)}${reference}`, width, '    ', '    '),
    wrapText(oneLine(reason), width, '    ', '    '),
    ...(detail === undefined ? [] : [wrapText(oneLine(detail), width, '    ', '    ')]),
  ];
  return lines.join('\n');
}

function referenceOf({ intentId, proposal }: Pick<DecisionResult, 'intentId' | 'proposal'>): string {
  if (proposal !== undefined) return `, code ${proposal}`;
  return intentId === undefined ? '' : `, B${intentId}`;
}

function amounts({ from, to, currency }: Pick<DecisionResult, 'from' | 'to' | 'currency'>): string {
  return from === undefined || to === undefined ? '' : `: ${formatMoneyChange(from, to, currency)}`;
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
