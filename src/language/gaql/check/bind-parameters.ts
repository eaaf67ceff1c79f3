import type { CatalogueField } from '../catalogue/catalogue.ts';
import type { Report } from '../report.ts';
import { withValues } from '../syntax/print-query.ts';
import { type Condition, type Literal, type Placeholder, takesList, type Value } from '../syntax/tree.ts';
import { CALENDAR_NAMES, isCalendarName } from './date-window.ts';
import { nearestNames } from './suggest.ts';

export type ParameterValues = ReadonlyMap<string, readonly string[]>;

export interface Binding {
  readonly values: ParameterValues;
  /** How to report a parameter without a value: a check warns, a run refuses the query. */
  readonly unbound: 'warning' | 'error';
  readonly report: Report;
}

/** Replaces parameters by escaped literals, so that no value can change the query. Undefined if a parameter has no valid value. */
export function bindCondition(condition: Condition, field: CatalogueField, binding: Binding): Condition | undefined {
  let isBound = true;
  const bound = withValues(condition, (value) => {
    const values = bindValue(value, condition, field, binding);
    isBound &&= values !== undefined;
    return values ?? [];
  });
  return isBound ? bound : undefined;
}

function bindValue(
  value: Value,
  condition: Condition,
  field: CatalogueField,
  binding: Binding,
): readonly Value[] | undefined {
  if (value.kind !== 'placeholder') return [value];
  if (isCalendarName(value.name)) return calendarDay(value, condition, field, binding);
  const texts = binding.values.get(value.name);
  if (value.days !== undefined) {
    const message = `Only calendar dates accept added days, but :${value.name} is a parameter.`;
    const hint = `Calendar dates are ${CALENDAR_NAMES.map((name) => `:${name}`).join(', ')}.`;
    binding.report({ code: 'BAD_VALUE', span: value.span, message, hint });
    return undefined;
  }
  if (texts === undefined || texts.length === 0) {
    reportUnbound(value, binding);
    return undefined;
  }
  if (texts.length > 1 && !takesList(condition.operator)) {
    const message = `The parameter has ${texts.length} values, expected one.`;
    const hint = 'Use IN for a list.';
    binding.report({ code: 'EXPECTED_SINGLE_VALUE', span: value.span, message, hint });
    return undefined;
  }
  return texts.map((text) => literalOf(text, value, condition, field));
}

function calendarDay(
  value: Placeholder,
  condition: Condition,
  field: CatalogueField,
  { report }: Binding,
): readonly Value[] | undefined {
  if ((field.type === 'DATE' || field.type === 'DATE_TIME') && condition.operator !== 'DURING') return [value];
  const message =
    condition.operator === 'DURING'
      ? `:${value.name} is a day, but DURING takes a period.`
      : `:${value.name} is a date, but ${field.name} is not.`;
  const hint = condition.operator === 'DURING' ? 'Use BETWEEN for two days.' : undefined;
  report({ code: 'BAD_VALUE', span: value.span, message, hint });
  return undefined;
}

function reportUnbound({ name, span }: Placeholder, { values, unbound, report }: Binding): void {
  const others = [...values.keys(), ...CALENDAR_NAMES].filter((other) => other !== name);
  const [near] = name.length < NAME_LENGTH_MIN ? [] : nearestNames(name, others);
  const how = `it with --param ${name}=VALUE, or under "params" in pacekeeper.yaml.`;
  const message = `The parameter :${name} has no value.`;
  const hint = near === undefined ? `Set ${how}` : `Did you mean :${near}? Otherwise set ${how}`;
  report({ code: 'UNBOUND_PARAMETER', severity: unbound, span, message, hint });
}

/** Shorter names get no suggestion, because they resemble too many other names. */
const NAME_LENGTH_MIN = 4;

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** A value of the wrong type becomes a text, which a later check reports. */
function literalOf(text: string, at: Placeholder, condition: Condition, field: CatalogueField): Value {
  const { span } = at;
  if (condition.operator === 'DURING') return { kind: 'name', text, span, parameter: at.name };
  const day = /^:(\w+?)([+-]\d+)?$/.exec(text);
  if ((field.type === 'DATE' || field.type === 'DATE_TIME') && day?.[1] !== undefined && isCalendarName(day[1])) {
    return { ...at, name: day[1], days: day[2] === undefined ? undefined : Number(day[2]) };
  }
  if ((field.type === 'INT64' || field.type === 'DOUBLE') && NUMBER.test(text)) {
    return { kind: 'number', text, span, parameter: at.name };
  }
  if (field.type === 'BOOLEAN' && /^(true|false)$/i.test(text)) return { kind: 'name', text, span, parameter: at.name };
  return { kind: 'string', text, raw: quoted(text), span, parameter: at.name };
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function quoted(text: string): string {
  return `'${text.replace(/[\\'\n\r\t]/g, (found) => ESCAPES[found] ?? `\\${found}`)}'`;
}

export function shown(value: Literal): string {
  const text = value.kind === 'string' && value.parameter === undefined ? value.raw : value.text;
  return value.parameter === undefined ? text : `${JSON.stringify(value.text)} (:${value.parameter})`;
}
