import type { Span } from '../../domain/diagnostic.ts';
import { unreachable } from '../../domain/errors.ts';
import type { CatalogueField, DataType } from '../catalogue/catalogue.ts';
import { quote } from '../syntax/syntax-messages.ts';
import type { Condition, Scalar } from '../syntax/tree.ts';
import type { Report } from './report.ts';
import { didYouMean } from './suggest.ts';

/** The provider's table of operators by type. It is known to be incomplete: a disagreement is a warning. */
const OPERATORS: Readonly<Record<DataType, readonly string[]>> = {
  BOOLEAN: ['=', '!='],
  DATE: ['=', '!=', '<', '>', '<=', '>=', 'BETWEEN', 'DURING', 'IN'],
  ENUM: ['=', '!=', 'IN', 'NOT IN'],
  DOUBLE: ['=', '!=', '<', '>', '<=', '>=', 'BETWEEN', 'IN', 'NOT IN'],
  INT64: ['=', '!=', '<', '>', '<=', '>=', 'BETWEEN', 'IN', 'NOT IN'],
  STRING: ['=', '!=', 'LIKE', 'NOT LIKE', 'IN', 'NOT IN'],
  RESOURCE_NAME: ['=', '!=', 'LIKE', 'NOT LIKE', 'IN', 'NOT IN'],
};

const LIST_VALUES_MAX = 20_000;

/** The operator fits the field's type and each value fits it too. Dates have their own check. */
export function checkCondition(condition: Condition, field: CatalogueField, report: Report): void {
  if (condition.kind === 'null_test') return;
  const operator = operatorOf(condition);
  if (operator === 'DURING' && field.type !== 'DATE') {
    report({
      code: 'OPERATOR_FIELD_MISMATCH',
      span: condition.operatorSpan,
      message: `DURING needs a date, and ${field.name} is ${withArticle(field.type)}.`,
      hint: `Operators for it are ${OPERATORS[field.type].join(', ')}.`,
    });
    return;
  }
  if (!OPERATORS[field.type].includes(operator)) {
    report({
      code: 'OPERATOR_FIELD_MISMATCH',
      severity: 'warning',
      span: condition.operatorSpan,
      message: `${operator} is not documented for ${field.name}, ${withArticle(field.type)}.`,
      hint: `Operators for it are ${OPERATORS[field.type].join(', ')}.`,
    });
  }
  if (condition.kind === 'membership' && condition.values.length > LIST_VALUES_MAX) {
    report({
      code: 'FILTER_HAS_TOO_MANY_VALUES',
      span: condition.listSpan,
      message: `The list has ${condition.values.length} values; the service takes at most ${LIST_VALUES_MAX}.`,
    });
  }
  if (field.type === 'DATE') return;
  for (const value of valuesOf(condition)) checkValue(value, field, operator, report);
}

function operatorOf(condition: Condition): string {
  switch (condition.kind) {
    case 'comparison':
    case 'membership':
    case 'null_test':
      return condition.operator;
    case 'between':
      return 'BETWEEN';
    case 'during':
      return 'DURING';
    default:
      return unreachable(condition);
  }
}

/** Every value a condition compares with. */
export function valuesOf(condition: Condition): readonly Scalar[] {
  switch (condition.kind) {
    case 'comparison':
      return [condition.value];
    case 'membership':
      return condition.values;
    case 'between':
      return [condition.low, condition.high];
    case 'during':
      return [condition.period];
    case 'null_test':
      return [];
    default:
      return unreachable(condition);
  }
}

function checkValue(value: Scalar, field: CatalogueField, operator: string, report: Report): void {
  const refuse = (code: string, span: Span, message: string, hint?: string) => report({ code, span, message, hint });
  const found = value.kind === 'string' ? value.raw : value.text;
  switch (field.type) {
    case 'INT64':
      // Digits in quotes are taken by the service as a number.
      if (value.kind === 'name' || !/^-?\d+$/.test(value.text)) {
        refuse('BAD_NUMBER', value.span, `Found ${found}, expected a whole number for ${field.name}.`);
      }
      return;
    case 'DOUBLE':
      if (value.kind !== 'number') {
        refuse('BAD_NUMBER', value.span, `Found ${found}, expected a number for ${field.name}.`);
      }
      return;
    case 'BOOLEAN':
      if (!/^(true|false)$/i.test(value.text)) {
        refuse('BAD_VALUE', value.span, `Found ${found}, expected TRUE or FALSE for ${field.name}.`);
      }
      return;
    case 'ENUM':
      if (value.kind === 'number' || !field.values.includes(value.text)) {
        const hint = didYouMean(value.text, field.values) ?? `Constants are ${field.values.join(', ')}.`;
        refuse('BAD_ENUM_CONSTANT', value.span, `${quote(value.text)} is not a constant of ${field.name}.`, hint);
      }
      return;
    case 'STRING':
    case 'RESOURCE_NAME':
      if (value.kind !== 'string') {
        const code = operator.endsWith('LIKE') ? 'INVALID_VALUE_WITH_LIKE_OPERATOR' : 'BAD_VALUE';
        refuse(code, value.span, `Found ${found}, expected text for ${field.name}.`, `Put it in quotes: '${found}'.`);
      }
      return;
    case 'DATE':
      return;
    default:
      unreachable(field.type);
  }
}

function withArticle(type: DataType): string {
  return `${/^[EI]/.test(type) ? 'an' : 'a'} ${type} field`;
}
