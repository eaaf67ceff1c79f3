import type { Diagnostic, Span } from '../domain/diagnostic.ts';
import { parseAmount } from '../domain/micros.ts';
import { compare, rational } from '../domain/rational.ts';
import { checkWholeValue } from './check-expression.ts';
import type { Scope } from './checking.ts';
import type { WrittenChange } from './expression.ts';
import { DEFAULT_PACE } from './pacing/pace.ts';
import { parseChange } from './parse-expression.ts';
import { shareOf } from './read-percent.ts';
import type { BudgetChange } from './rule.ts';
import { mixedDaysOfTarget } from './warn-mixed-days.ts';

export interface ChangeReading {
  /** Undefined where `diagnostics` has an error. */
  readonly change: BudgetChange | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly amountAt: Span | undefined;
  readonly usesOwnDays: boolean;
}

/** Percentages stay small enough for any budget times them to be an int64 of micros. */
const PERCENT = /^\d{1,5}(?:\.\d{1,6})?$/;

/** Reads a change; spans count from the text's start. Without a scope, the names in it are not looked at. */
export function readChange(text: string, scope: Scope | undefined): ChangeReading {
  const parsed = parseChange(text);
  const refused = (diagnostics: readonly Diagnostic[]): ChangeReading => ({
    ...{ change: undefined, diagnostics, amountAt: undefined, usesOwnDays: false },
  });
  if (parsed.kind === 'refused') return refused(parsed.diagnostics);
  const written = parsed.tree;
  if (written.kind === 'by') {
    const { direction, digits, percent, bySpan } = written;
    const by = percent ? readShare(digits, direction) : readAmount(digits);
    if (typeof by === 'string') return refused([badValue(bySpan, by)]);
    const amountAt = percent ? undefined : bySpan;
    return { change: { kind: 'by', direction, by, text }, diagnostics: [], amountAt, usesOwnDays: false };
  }
  if (written.kind === 'pace') return readPace(written, text);
  if (!scope) return refused([]);
  const { tree, type, diagnostics, amountAt, usesOwnDays } = checkWholeValue(written.value, scope, text);
  const { span } = written.value;
  const isFree = type.kind === 'number' && type.literal;
  const found = [...diagnostics];
  if (type.kind === 'text' || (type.kind === 'number' && !isFree && type.moneyPower !== 1)) {
    const message = `Found ${type.kind === 'text' ? 'text' : 'a plain number'}, expected an amount of money to set the budget to.`;
    const hint = 'cost and budget are amounts: set budget to 1.1 * budget.';
    found.push({ code: 'OPERATOR_FIELD_MISMATCH', severity: 'error', span, message, hint });
  }
  if (tree?.kind === 'number' && tree.value.n === 0n) found.push(badValue(span, 'A budget of nothing cannot be set.'));
  if (tree?.kind === 'negation' && tree.operand.kind === 'number' && tree.operand.value.n !== 0n) {
    const amount = text.slice(span.start.offset, span.end.offset);
    found.push(badValue(span, `A budget of ${amount} cannot be set, expected an amount above zero.`));
  }
  const mixed = tree && found.length === 0 ? mixedDaysOfTarget(tree, text) : undefined;
  if (mixed) found.push(mixed);
  const failed = found.some(({ severity }) => severity === 'error');
  const change = failed || !tree ? undefined : ({ kind: 'to', value: tree, text } as const);
  return { change, diagnostics: found, amountAt: amountAt ?? (isFree ? span : undefined), usesOwnDays };
}

/** The target alone; how it is gone about stands in the key `pace`. */
function readPace(written: Extract<WrittenChange, { kind: 'pace' }>, text: string): ChangeReading {
  const { digits, targetSpan, period, periodSpan } = written;
  const amount = parseAmount(digits);
  const found: Diagnostic[] = [];
  if (amount === undefined) {
    const message = `Found ${digits}, expected an amount of at most twelve digits and six decimals.`;
    found.push(badValue(targetSpan, message));
  }
  if (amount === 0n) {
    const message = 'A target of 0 leaves nothing to spend, and a budget is never set to nothing.';
    found.push({
      ...badValue(targetSpan, message),
      hint: 'Write the amount of a month, or pause the campaign by hand.',
    });
  }
  if (period.toLowerCase() !== 'month') {
    const message = `Found "per ${period}", expected per month: a target is that of a calendar month.`;
    found.push({ ...badValue(periodSpan, message), hint: 'Write pace budget to 3000 per month.' });
  }
  const change =
    found.length > 0 || amount === undefined
      ? undefined
      : ({ kind: 'pace', pace: { ...DEFAULT_PACE, amount }, text } as const);
  return { change, diagnostics: found, amountAt: targetSpan, usesOwnDays: false };
}

type By = Extract<BudgetChange, { kind: 'by' }>['by'];

/** The change or what is wrong with it. */
function readShare(digits: string, direction: 'increase' | 'decrease'): By | string {
  const share = PERCENT.test(digits) ? shareOf(digits) : undefined;
  if (!share) return `Found ${digits}%, expected a percentage below 100000% with at most six decimals.`;
  if (share.n === 0n) return 'A change by 0% changes nothing.';
  if (direction === 'decrease' && compare(share, rational(1n)) >= 0)
    return 'A decrease by 100% or more leaves nothing.';
  return { kind: 'share', share };
}

function readAmount(digits: string): By | string {
  const amount = parseAmount(digits);
  if (amount === undefined) return `Found ${digits}, expected an amount of at most twelve digits and six decimals.`;
  return amount === 0n ? 'A change by 0 changes nothing.' : { kind: 'amount', amount };
}

const badValue = (span: Span, message: string): Diagnostic => ({ code: 'BAD_VALUE', severity: 'error', span, message });
