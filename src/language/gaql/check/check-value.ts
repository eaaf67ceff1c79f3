import { unreachable } from '../../../domain/errors.ts';
import type { CatalogueField } from '../catalogue/catalogue.ts';
import type { Report } from '../report.ts';
import { quote } from '../syntax/syntax-messages.ts';
import type { Condition, Literal, Value } from '../syntax/tree.ts';
import { shown } from './bind-parameters.ts';
import { checkDateTime, readDay } from './read-date.ts';
import { didYouMean, firstOf } from './suggest.ts';

export interface CheckedCondition {
  readonly written: Condition;
  readonly field: CatalogueField | undefined;
  readonly bound: Condition | undefined;
}

const WRONG_VALUES_SHOWN = 10;

export function checkEach(
  condition: Condition,
  check: (value: Value, report: Report) => void,
  report: Report,
): boolean {
  let wrong = 0;
  for (const value of condition.values) {
    check(value, (finding) => {
      wrong += 1;
      if (wrong <= WRONG_VALUES_SHOWN) report(finding);
    });
  }
  if (wrong > WRONG_VALUES_SHOWN) {
    const more = wrong - WRONG_VALUES_SHOWN;
    const message = `${more} more ${more === 1 ? 'value of this list does' : 'values of this list do'} not fit.`;
    report({ code: 'BAD_VALUE', span: condition.valuesSpan, message });
  }
  return wrong === 0;
}

export const isPattern = (operator: string): boolean => /LIKE|REGEXP/.test(operator);

export function checkValue(value: Value, field: CatalogueField, operator: string, report: Report): void {
  // The only remaining placeholders are calendar days such as `:today`.
  if (value.kind === 'placeholder') {
    readDay(value, field, 'day', report);
    return;
  }
  if (isPattern(operator)) {
    checkPattern(value, field, operator, report);
    return;
  }
  switch (field.type) {
    case 'INT64':
      // The service accepts digits in quotes as a number.
      if (value.kind === 'name' || !/^-?\d+$/.test(value.text)) refuseNumber(value, field, 'a whole number', report);
      else if (!isInt64(value.text)) refuseNumber(value, field, 'a whole number of at most 64 bits', report);
      return;
    case 'DOUBLE':
      if (value.kind !== 'number') refuseNumber(value, field, 'a number', report);
      return;
    case 'BOOLEAN':
      if (value.kind === 'number' || !/^(true|false)$/i.test(value.text)) {
        const message = `Found ${shown(value)}, expected TRUE or FALSE for ${field.name}.`;
        report({ code: 'BAD_VALUE', span: value.span, message });
      }
      return;
    case 'ENUM':
      checkConstant(value, field, report);
      return;
    case 'DATE':
      readDay(value, field, 'day', report);
      return;
    case 'DATE_TIME':
      checkDateTime(value, field, report);
      return;
    case 'STRING':
    case 'RESOURCE_NAME':
    case 'MESSAGE':
      if (value.kind !== 'string') {
        const message = `Found ${shown(value)}, expected text for ${field.name}.`;
        report({ code: 'INVALID_STRING_VALUE', span: value.span, message, hint: textHint(value, field) });
      }
      return;
    default:
      unreachable(field.type);
  }
}

/** Checks the length first, because converting a very long text takes time. */
function isInt64(digits: string): boolean {
  return digits.length <= 20 && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
}

function refuseNumber(value: Literal, field: CatalogueField, expected: string, report: Report): void {
  report({
    code: 'BAD_NUMBER',
    span: value.span,
    message: `Found ${shown(value)}, expected ${expected} for ${field.name}.`,
    hint:
      value.parameter && value.text.includes(',')
        ? `Repeat --param ${value.parameter}=… for each value.`
        : isFieldName(value)
          ? NO_FIELDS
          : undefined,
  });
}

const NO_FIELDS = 'Compare a field with values only. To compare two fields, use SQL on the table.';
const isFieldName = (value: Literal): boolean => value.kind === 'name' && value.text.includes('.');

function textHint(value: Literal, { type }: CatalogueField): string {
  if (isFieldName(value)) return NO_FIELDS;
  if (type === 'RESOURCE_NAME')
    return "A resource name is a path in quotes, such as 'customers/1234567890/campaigns/5'.";
  return `Put it in quotes: '${value.text}'.`;
}

function checkPattern(value: Literal, field: CatalogueField, operator: string, report: Report): void {
  if (value.kind === 'string') return;
  const message = `Found ${shown(value)}, expected text for ${field.name}.`;
  const hint = `Put it in quotes: '${value.text}'.`;
  report({
    code: operator.endsWith('LIKE') ? 'INVALID_VALUE_WITH_LIKE_OPERATOR' : 'INVALID_STRING_VALUE',
    span: value.span,
    message,
    hint,
  });
}

const PLACEHOLDER_CONSTANTS = ['UNKNOWN', 'UNSPECIFIED'];
const CONSTANTS_SHOWN_MAX = 12;

/** True for constants that only client libraries use, to mark unknown values. */
export const isPlaceholderConstant = (text: string): boolean => PLACEHOLDER_CONSTANTS.includes(text);

export function checkConstant(value: Literal, field: CatalogueField, report: Report): void {
  if (value.kind !== 'number' && field.values.includes(value.text)) return;
  if (isPlaceholderConstant(value.text)) {
    const message = `Clients use ${value.text} for constants that they do not know. The service may refuse it in a filter.`;
    report({ code: 'PROHIBITED_ENUM_CONSTANT', severity: 'warning', span: value.span, message });
    return;
  }
  const message = `${value.parameter === undefined ? quote(value.text) : shown(value)} is not a constant of ${field.name}.`;
  const hint = didYouMean(value.text, field.values) ?? `Constants are ${firstOf(field.values, CONSTANTS_SHOWN_MAX)}.`;
  report({ code: 'BAD_ENUM_CONSTANT', span: value.span, message, hint });
}
