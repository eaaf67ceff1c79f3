import type { CatalogueField } from '../catalogue/catalogue.ts';
import type { Report } from '../report.ts';
import { quote } from '../syntax/syntax-messages.ts';
import type { FieldRef } from '../syntax/tree.ts';

export interface UsedField {
  readonly ref: FieldRef;
  readonly field: CatalogueField;
}

/** Reports nothing if the catalogue does not know which fields the service combines. */
export function checkCombinations(used: readonly UsedField[], report: Report): void {
  const earlier = new Map<string, CatalogueField>();
  for (const { ref, field } of used) {
    if (field.role === 'attribute' || earlier.has(field.name)) continue;
    const other = [...earlier.values()].find((one) => exclude(one, field));
    earlier.set(field.name, field);
    if (other === undefined) continue;
    const areAlike = other.role === field.role;
    report({
      code: areAlike
        ? 'PROHIBITED_FIELD_COMBINATION_IN_SELECT_CLAUSE'
        : 'PROHIBITED_SEGMENT_WITH_METRIC_IN_SELECT_OR_WHERE_CLAUSE',
      span: ref.span,
      message: `${quote(field.name)} cannot be used with ${other.name}.`,
      hint: 'Write two query files, each with one of them.',
    });
  }
}

/** Lists of combinable fields can be incomplete, so one list that allows the pair is enough. */
function exclude(one: CatalogueField, other: CatalogueField): boolean {
  const verdicts = [allows(one, other), allows(other, one)];
  return verdicts.includes(false) && !verdicts.includes(true);
}

/** Undefined if the list names no field of the same kind (metric or segment). */
function allows({ selectableWith }: CatalogueField, { name }: CatalogueField): boolean | undefined {
  if (selectableWith === undefined) return undefined;
  if (selectableWith.has(name)) return true;
  const kind = name.slice(0, name.indexOf('.') + 1);
  return [...selectableWith].some((listed) => listed.startsWith(kind)) ? false : undefined;
}
