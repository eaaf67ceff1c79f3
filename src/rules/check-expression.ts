import type { Diagnostic } from '../domain/diagnostic.ts';
import { unreachable } from '../domain/errors.ts';
import { didYouMean } from '../gaql/check/suggest.ts';
import type { Expression } from './expression.ts';

/** What a name in a condition stands for. */
export type NameType =
  | 'text'
  | 'number'
  /** An amount in the account's currency unit. */
  | 'money';

/**
 * The type of a part. A number has a power of money: 1 for an amount, 0 for a count or a share, −1 for clicks per euro.
 * A literal has none of its own: beside an amount it is an amount.
 */
type PartType =
  | { readonly kind: 'boolean' }
  | { readonly kind: 'text' }
  | { readonly kind: 'number'; readonly moneyPower: number; readonly literal: boolean; readonly zero: boolean }
  /** Reported already; fits everywhere so that one mistake gives one message. */
  | { readonly kind: 'wrong' };

const BOOLEAN: PartType = { kind: 'boolean' };
const WRONG: PartType = { kind: 'wrong' };

export interface ExpressionCheck {
  readonly diagnostics: readonly Diagnostic[];
  /** Whether a literal stands for an amount, so that the condition means nothing without a currency. */
  readonly namesMoney: boolean;
}

/** Names exist and sides fit each other. */
export function checkExpression(tree: Expression, names: ReadonlyMap<string, NameType>): ExpressionCheck {
  const diagnostics: Diagnostic[] = [];
  let namesMoney = false;
  const refuse = (code: string, part: Expression, message: string, hint?: string): PartType => {
    diagnostics.push({ code, severity: 'error', span: part.span, message, ...(hint === undefined ? {} : { hint }) });
    return WRONG;
  };

  /** Both sides of a sum or a comparison must be of one power; a literal takes the other side's. */
  const align = (whole: Expression, left: PartType, right: PartType): PartType => {
    if (left.kind !== 'number' || right.kind !== 'number') return WRONG;
    const [power, other] = [left.moneyPower, right.moneyPower];
    if (left.literal !== right.literal) {
      const [literal, named] = left.literal ? [left, right] : [right, left];
      if (named.moneyPower !== 0 && !literal.zero) namesMoney = true;
      return { ...named, zero: false };
    }
    if (power === other) return { ...left, zero: left.zero && right.zero };
    return refuse('OPERATOR_FIELD_MISMATCH', whole, 'An amount of money is set beside a plain number.', AMOUNT_HINT);
  };

  const typeOf = (part: Expression): PartType => {
    switch (part.kind) {
      case 'number':
        return { kind: 'number', moneyPower: 0, literal: true, zero: part.value.n === 0n };
      case 'text':
        return { kind: 'text' };
      case 'name': {
        const type = names.get(part.name);
        if (type === undefined) {
          const hint = didYouMean(part.name, names.keys()) ?? `Names are ${[...names.keys()].join(', ')}.`;
          return refuse('UNRECOGNIZED_FIELD', part, `There is no column "${part.name}".`, hint);
        }
        if (type === 'text') return { kind: 'text' };
        return { kind: 'number', moneyPower: type === 'money' ? 1 : 0, literal: false, zero: false };
      }
      case 'negation':
        return numeric(typeOf(part.operand), part.operand);
      case 'arithmetic': {
        const left = numeric(typeOf(part.left), part.left);
        const right = numeric(typeOf(part.right), part.right);
        if (left.kind !== 'number' || right.kind !== 'number') return WRONG;
        if (part.sign === '+' || part.sign === '-') return align(part, left, right);
        const moneyPower = left.moneyPower + (part.sign === '*' ? right.moneyPower : -right.moneyPower);
        return { kind: 'number', moneyPower, literal: left.literal && right.literal, zero: left.zero };
      }
      case 'comparison': {
        const [left, right] = [typeOf(part.left), typeOf(part.right)];
        if (left.kind === 'wrong' || right.kind === 'wrong') return BOOLEAN;
        if (left.kind !== right.kind || left.kind === 'boolean') {
          refuse(
            'OPERATOR_FIELD_MISMATCH',
            part,
            `Found ${words(left)} beside ${words(right)}, expected two of a kind.`,
          );
        } else if (left.kind === 'text' && part.sign !== '=' && part.sign !== '!=') {
          refuse('OPERATOR_FIELD_MISMATCH', part, `Text is compared with ${part.sign}, expected = or !=.`);
        } else if (left.kind === 'number') align(part, left, right);
        return BOOLEAN;
      }
      case 'not':
        condition(part.operand);
        return BOOLEAN;
      case 'logic':
        condition(part.left);
        condition(part.right);
        return BOOLEAN;
      default:
        return unreachable(part);
    }
  };

  const numeric = (type: PartType, part: Expression): PartType =>
    type.kind === 'number' || type.kind === 'wrong'
      ? type
      : refuse('OPERATOR_FIELD_MISMATCH', part, `Found ${words(type)}, expected a number.`);

  const condition = (part: Expression): void => {
    const type = typeOf(part);
    if (type.kind === 'boolean' || type.kind === 'wrong') return;
    refuse('OPERATOR_FIELD_MISMATCH', part, `Found ${words(type)}, expected a comparison such as clicks >= 30.`);
  };

  condition(tree);
  return { diagnostics, namesMoney };
}

const AMOUNT_HINT = 'cost and budget are amounts; *_micros columns, clicks and impressions are plain numbers.';

function words(type: PartType): string {
  switch (type.kind) {
    case 'boolean':
      return 'a condition';
    case 'text':
      return 'text';
    case 'number':
      return 'a number';
    case 'wrong':
      return 'something wrong';
    default:
      return unreachable(type);
  }
}
