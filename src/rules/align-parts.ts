import type { Span } from '../domain/diagnostic.ts';
import { type Checking, refuse } from './checking.ts';
import { align, type PartType, typeWords, WRONG } from './part-type.ts';

const AMOUNT_HINT =
  'cost and budget are amounts; *_micros columns, clicks, impressions and percentages are plain numbers.';

/** The one type that all parts are of; reported once where they differ. */
export function alignAll(
  checking: Checking,
  whole: Span,
  parts: readonly { readonly type: PartType; readonly span: Span }[],
): PartType {
  const types = parts.map(({ type }) => type);
  if (types.some(({ kind }) => kind === 'wrong')) return WRONG;
  const [first = WRONG] = types;
  const other = types.find(({ kind }) => kind !== first.kind);
  const condition = types.find(({ kind }) => kind === 'boolean');
  if (other || condition) {
    const message = `Found ${typeWords(first)} beside ${typeWords(other ?? first)}, expected two of a kind.`;
    return refuse(checking, 'OPERATOR_FIELD_MISMATCH', whole, message).type;
  }
  let together = parts[0];
  for (const part of parts.slice(1)) {
    if (together?.type.kind !== 'number' || part.type.kind !== 'number') continue;
    const aligned = align({ type: together.type, span: together.span }, { type: part.type, span: part.span });
    if (aligned.kind === 'differs') {
      const message = 'An amount of money is set beside a plain number.';
      return refuse(checking, 'OPERATOR_FIELD_MISMATCH', whole, message, AMOUNT_HINT).type;
    }
    if (aligned.amount) checking.amounts.push(aligned.amount);
    together = { type: aligned.type, span: part.span };
  }
  return together?.type ?? WRONG;
}
