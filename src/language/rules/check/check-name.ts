import type { Span } from '../../../domain/diagnostic.ts';
import { isSummable, MICROS } from '../../gaql/check/column.ts';
import { didYouMean } from '../../gaql/check/suggest.ts';
import type { Window } from '../language/window.ts';
import type { CheckedValue, Measure } from './checked-expression.ts';
import { type Around, type Checking, numberType, refuse, type Scope, TEXT, type Typed } from './checking.ts';
import { type MetricMeaning, PARTS_HINT, usableNames } from './rule-names.ts';

export function checkName(checking: Checking, name: string, span: Span, around: Around | undefined): Typed {
  const meaning = checking.scope.names.get(name);
  switch (meaning?.kind) {
    case undefined: {
      const hint = unknownNameHint(name, checking.scope, checking.besideText);
      return refuse(checking, 'UNRECOGNIZED_FIELD', span, `Unknown column "${name}".`, hint);
    }
    case 'refused':
      return refuse(checking, meaning.code, span, meaning.message, meaning.hint);
    case 'budget':
      return { type: numberType(1), value: { kind: 'budget', span } };
    case 'clock':
      return {
        type: meaning.name === 'weekday' ? TEXT : numberType(0),
        value: { kind: 'clock', name: meaning.name, span },
      };
    case 'attribute': {
      const { column, inMicros, type } = meaning;
      const value: CheckedValue = { kind: 'attribute', column, inMicros, span };
      const isText = type === 'text' || type === 'labels';
      return { type: isText ? TEXT : numberType(type === 'money' ? 1 : 0), value };
    }
    case 'metric':
      return checkMetric(checking, meaning, span, around);
    case 'quotient': {
      const dividend = checkMetric(checking, meaning.dividend, span, around);
      const divisor = dividend.value && checkMetric(checking, meaning.divisor, span, around);
      const type = numberType(Number(meaning.dividend.money) - Number(meaning.divisor.money));
      if (!dividend.value || !divisor?.value) return { type, value: undefined };
      return { type, value: { kind: 'arithmetic', sign: '/', left: dividend.value, right: divisor.value, span } };
    }
  }
}

export function checkMetric(
  checking: Checking,
  { column, type, impressions, inMicros, neverNegative, money }: MetricMeaning,
  span: Span,
  around: Around | undefined,
  measure?: Measure,
): Typed {
  checking.metricsUsed += 1;
  const numeric = numberType(money ? 1 : 0);
  const window = windowFor(checking, span, around);
  if (!window) return { type: numeric, value: undefined };
  const usual = window.kind === 'same_weekday' ? 'mean' : 'sum';
  const metric = { column, type, impressions, inMicros, neverNegative, window, measure: measure ?? usual };
  return { type: numeric, value: { kind: 'metric', metric, span } };
}

function windowFor(checking: Checking, span: Span, around: Around | undefined): Window | undefined {
  if (around) around.taken = true;
  else checking.ownDaysUsed += 1;
  const window = around?.window ?? checking.scope.over;
  if (window) return window;
  const message = 'This metric has no window, and the rule has no "over".';
  refuse(
    checking,
    'MISSING_WINDOW',
    span,
    message,
    'Add "over: 7 days" to the rule, or write "over 7 days" after the metric.',
  );
  return undefined;
}

const COMPUTED: ReadonlyMap<string, string> = new Map([
  ['cpc', 'Write "cost / clicks" or "average_cpc".'],
  ['cpm', 'Write "1000 * cost / impressions".'],
  ['cvr', 'Write "conversions / clicks".'],
  ['spend', 'Write "cost".'],
  ['spent', 'Write "cost".'],
]);

function unknownNameHint(name: string, scope: Scope, besideText: boolean): string {
  const names = usableNames(scope.names);
  return (
    unselectedHint(name, scope) ??
    (scope.place === 'values' ? COMPUTED.get(name.toLowerCase()) : undefined) ??
    (besideText ? `Put text in quotes: '${name}'.` : undefined) ??
    didYouMean(name, names) ??
    wordHint(name) ??
    `Known names: ${names.join(', ')}.`
  );
}

function wordHint(name: string): string | undefined {
  if (/^(true|false)$/i.test(name)) return 'Write 1 for true and 0 for false.';
  return /^[A-Z][A-Z_]*$/.test(name) ? `Put text in quotes: '${name}'.` : undefined;
}

function unselectedHint(name: string, { fields, place, data }: Scope): string | undefined {
  const field = fields?.selectable(name);
  if (field === undefined || field.role === 'segment') return undefined;
  if (field.role === 'attribute') return `Add ${field.name} to queries/${data.table}.sql.`;
  if (place === 'where') return undefined;
  const isSum = isSummable({ field: field.name, type: field.type });
  return isSum || field.name.endsWith(MICROS) ? `Add ${field.name} to queries/${data.table}.sql.` : PARTS_HINT;
}
