import { checkConstant, isPlaceholderConstant } from '../gaql/check/check-value.ts';
import { reportTo } from '../gaql/report.ts';
import type { CheckedValue } from './checked-expression.ts';
import { type Checking, written } from './checking.ts';

/** Texts beside a column that holds constants of the service: one that is none of them is in no row. */
export function checkConstants(checking: Checking, sides: readonly CheckedValue[]): void {
  const { fields } = checking.scope;
  const found = sides.flatMap((side) => (side.kind === 'attribute' ? (fields?.fieldOf(side.column) ?? []) : []));
  const [field] = found;
  if (field?.type !== 'ENUM' || field.repeated || found.length > 1) return;
  for (const side of sides) {
    // Rows hold the placeholders, too, whatever a query may filter by.
    if (side.kind !== 'text' || isPlaceholderConstant(side.value)) continue;
    const literal = { kind: 'string', text: side.value, raw: written(checking, side.span), span: side.span } as const;
    checkConstant(literal, field, reportTo(checking.diagnostics));
  }
}
