import { formatMoneyChange } from '../domain/micros.ts';
import type { DecisionResult } from './report-result.ts';
import { decisionWord } from './state-words.ts';
import { type NameOf, oneLine, type TextLayout, withId } from './text-layout.ts';
import { wrapText } from './wrap-text.ts';

/** A decision has a reason that must be read whole, so it is a paragraph and not a table's row. */
export function decisionBlocks(decisions: readonly DecisionResult[], nameOf: NameOf, layout: TextLayout): string {
  return decisions.map((decision) => decisionBlock(decision, nameOf, layout)).join('\n');
}

/**
 * A decision where the condition is said already, and whom it is about: "REFUSED  The cooldown lasts until …".
 * With `isOneOfSeveral` its budget is one of those of the subject, and is named by its campaign.
 */
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
