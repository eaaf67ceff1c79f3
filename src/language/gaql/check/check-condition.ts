import type { CatalogueField, DataType } from '../catalogue/catalogue.ts';
import type { Report } from '../report.ts';
import type { Condition, Literal } from '../syntax/tree.ts';
import { shown } from './bind-parameters.ts';
import { isCoreDate } from './check-dates.ts';
import { checkEach, checkValue, isPattern } from './check-value.ts';
import { readPeriod } from './read-date.ts';

const ORDERED = ['=', '!=', '<', '>', '<=', '>='];
const NUMERIC = [...ORDERED, 'BETWEEN', 'IN', 'NOT IN'];
const TEXTUAL = ['=', '!=', 'LIKE', 'NOT LIKE', 'IN', 'NOT IN', 'REGEXP_MATCH', 'NOT REGEXP_MATCH'];
const OF_LISTS = ['CONTAINS ANY', 'CONTAINS ALL', 'CONTAINS NONE'];
const NULL_TESTS = ['IS NULL', 'IS NOT NULL'];

/** Operators by type, as documented. The documentation is incomplete, so most violations are only warnings. */
const OPERATORS: Readonly<Record<DataType, readonly string[]>> = {
  BOOLEAN: ['=', '!='],
  DATE: ['=', '<', '>', '<=', '>=', 'BETWEEN', 'DURING', 'IN'],
  DATE_TIME: [...ORDERED, 'BETWEEN', 'DURING'],
  ENUM: ['=', '!=', 'IN', 'NOT IN'],
  DOUBLE: NUMERIC,
  INT64: NUMERIC,
  STRING: TEXTUAL,
  RESOURCE_NAME: TEXTUAL,
  MESSAGE: [],
};

export function operatorsOf({ type, repeated }: Pick<CatalogueField, 'type' | 'repeated'>): readonly string[] {
  if (type === 'MESSAGE' && !repeated) return [];
  return [...(repeated ? OF_LISTS : OPERATORS[type]), ...NULL_TESTS];
}

const LIST_VALUES_MAX = 20_000;

export function checkCondition(condition: Condition, field: CatalogueField, report: Report): void {
  if (!checkOperator(condition, field, report)) return;
  const { operator, values } = condition;
  if (values.length > LIST_VALUES_MAX) {
    const message = `The list has ${values.length} values, the service accepts at most ${LIST_VALUES_MAX}.`;
    report({ code: 'FILTER_HAS_TOO_MANY_VALUES', span: condition.valuesSpan, message });
  }
  const ofDays = field.type === 'DATE' && !isPattern(operator);
  if (isCoreDate(field.name) && (ofDays || operator === 'DURING')) return;
  if (operator === 'DURING') {
    for (const period of values) readPeriod(period, report);
    return;
  }
  const fits = checkEach(condition, (value, told) => checkValue(value, field, operator, told), report);
  if (fits && operator === 'BETWEEN' && !isCoreDate(field.name)) checkOrder(values, field, report);
}

function checkOperator(condition: Condition, field: CatalogueField, report: Report): boolean {
  const { operator } = condition;
  const known = operatorsOf(field);
  if (known.includes(operator)) return true;
  const impossible = operator === 'DURING' || (!field.repeated && OF_LISTS.includes(operator));
  const message = impossible
    ? `${operator} needs a ${operator === 'DURING' ? 'date' : 'list'}, but ${field.name} is ${describeType(field)}.`
    : `The service does not document ${operator} for ${field.name}, ${describeType(field)}.`;
  const hint = operatorHint(operator, field, known);
  report({
    code: 'OPERATOR_FIELD_MISMATCH',
    severity: impossible ? 'error' : 'warning',
    span: condition.operatorSpan,
    message,
    hint,
  });
  return !impossible;
}

export function checkRegularExpression(
  condition: Condition,
  faultOf: (pattern: string) => string | undefined,
  report: Report,
): void {
  const [value] = condition.operator.endsWith('REGEXP_MATCH') ? condition.values : [];
  const fault = value?.kind === 'string' ? faultOf(value.text) : undefined;
  if (!value || fault === undefined) return;
  const message = `Invalid regular expression: ${fault}.`;
  const hint = 'Use the syntax of RE2. It has no look-ahead, look-behind or back-references.';
  report({ code: 'INVALID_REGULAR_EXPRESSION', span: value.span, message, hint });
}

function operatorHint(operator: string, { type, repeated }: CatalogueField, known: readonly string[]): string {
  if (type === 'STRING' && !repeated && OF_LISTS.includes(operator))
    return "Use LIKE '%text%' to match part of a text.";
  return `Operators for this field are ${known.join(', ')}.`;
}

function checkOrder([low, high]: Condition['values'], field: CatalogueField, report: Report): void {
  if (
    !low ||
    !high ||
    low.kind === 'placeholder' ||
    high.kind === 'placeholder' ||
    rank(low, field) <= rank(high, field)
  )
    return;
  const message = `BETWEEN ${shown(low)} AND ${shown(high)} matches no value: the first value is greater.`;
  const hint = 'Swap the two values.';
  report({ code: 'INVALID_VALUE_WITH_BETWEEN_OPERATOR', span: low.span, message, hint });
}

function rank({ text }: Literal, { type }: CatalogueField): number {
  if (type === 'INT64' || type === 'DOUBLE') return Number(text);
  return type === 'DATE' || type === 'DATE_TIME' ? Number(text.replaceAll('-', '').slice(0, 8)) : 0;
}

function describeType({ type, repeated }: CatalogueField): string {
  if (repeated) return `a list of ${type}`;
  return `${/^[EI]/.test(type) ? 'an' : 'a'} ${type} field`;
}
