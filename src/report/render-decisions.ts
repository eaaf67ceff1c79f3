import { formatMoneyChange } from '../domain/micros.ts';
import type { Intent } from '../store/intent-table.ts';
import type { DecisionResult } from './report-result.ts';
import { decisionWord } from './state-words.ts';
import { type NameOf, oneLine, type TextLayout, withId } from './text-layout.ts';
import { wrapText } from './wrap-text.ts';

/** Who wants a change: "rule trim@1f2e…", "rule trim@1f2e…, approved by anna", "undo of B1 by anna". */
export function originOf({ kind, undoes, actor, rule, ruleVersion }: Origin): string {
  if (kind === 'undo') return `undo of B${undoes} by ${actor}`;
  if (!actor.startsWith('approved by ')) return actor;
  return `rule ${rule}${ruleVersion === '' ? '' : `@${ruleVersion}`}, ${actor}`;
}

type Origin = Pick<Intent, 'kind' | 'undoes' | 'actor' | 'rule' | 'ruleVersion'>;

/** A decision has a reason that must be read whole, so it is a paragraph and not a table's row. */
export function decisionBlocks(decisions: readonly DecisionResult[], nameOf: NameOf, layout: TextLayout): string {
  return decisions.map((decision) => decisionBlock(decision, nameOf, layout)).join('\n');
}

/**
 * A decision where the condition is said already, and whom it is about: "REFUSED  The cooldown lasts until …".
 * With `isOneOfSeveral` its budget is one of those of the subject, and is named by its campaign.
 */
export function decisionLine(decision: DecisionResult, said: string, isOneOfSeveral = false): string {
  const { budgetId, reason, detail, subject } = decision;
  const budget = !isOneOfSeveral
    ? `budget ${budgetId}`
    : subject.startsWith('budget ')
      ? subject
      : `${subject}, budget ${budgetId}`;
  // What follows the condition names the change, the limit that held it, and the amounts.
  const clause = reason.startsWith(`${said}; `) ? `: ${reason.slice(said.length + 2)}` : amounts(decision);
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
