import type { Span } from '../../domain/diagnostic.ts';
import { unreachable } from '../../domain/errors.ts';

/**
 * The type of a part. A number has a power of money: 1 for an amount, 0 for a count or a share, −1 for clicks per euro.
 * A literal has none of its own: beside an amount it is an amount.
 */
export type PartType =
  | { readonly kind: 'boolean' }
  | { readonly kind: 'text' }
  | NumberType
  /** Reported already; fits everywhere so that one mistake gives one message. */
  | { readonly kind: 'wrong' };

export interface NumberType {
  readonly kind: 'number';
  readonly moneyPower: number;
  readonly literal: boolean;
  readonly zero: boolean;
}

export const BOOLEAN: PartType = { kind: 'boolean' };
export const TEXT: PartType = { kind: 'text' };
export const WRONG: PartType = { kind: 'wrong' };

export function numberType(moneyPower: number): NumberType {
  return { kind: 'number', moneyPower, literal: false, zero: false };
}

/** What two parts that stand beside each other are together. */
export type Alignment =
  | { readonly kind: 'fits'; readonly type: NumberType; readonly amount: Span | undefined }
  | { readonly kind: 'differs' };

interface Part {
  readonly type: NumberType;
  readonly span: Span;
}

/** Both sides of a sum or a comparison must be of one power; a literal takes the other side's, and names an amount then. */
export function align(left: Part, right: Part): Alignment {
  if (left.type.literal !== right.type.literal) {
    const [literal, named] = left.type.literal ? [left, right] : [right, left];
    const isAmount = named.type.moneyPower !== 0 && !literal.type.zero;
    return { kind: 'fits', type: named.type, amount: isAmount ? literal.span : undefined };
  }
  if (left.type.moneyPower !== right.type.moneyPower) return { kind: 'differs' };
  return { kind: 'fits', type: { ...left.type, zero: left.type.zero && right.type.zero }, amount: undefined };
}

/** Of a product or, `divided`, a quotient. */
export function productType(left: NumberType, right: NumberType, divided: boolean): NumberType {
  return {
    kind: 'number',
    moneyPower: left.moneyPower + (divided ? -right.moneyPower : right.moneyPower),
    literal: left.literal && right.literal,
    zero: left.zero || (!divided && right.zero),
  };
}

export function typeWords(type: PartType): string {
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
