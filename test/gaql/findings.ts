import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { type Diagnostic, spanAt } from '../../src/domain/diagnostic.ts';
import type { CheckContext } from '../../src/language/gaql/check/check-query.ts';
import { patternFault } from '../../src/language/gaql/check/pattern-fault.ts';
import { checkQueryFile } from '../../src/language/gaql/query-file.ts';

/** `CODE line:column-line:column`, and `(warning)` or `(note)` where it is one. */
export function place({ code, severity, span: { start, end } }: Diagnostic): string {
  const weight = severity === 'error' ? '' : ` (${severity})`;
  return `${code} ${start.line}:${start.column}-${end.line}:${end.column}${weight}`;
}

export function check(source: string, context: Partial<CheckContext> = {}) {
  return checkQueryFile('a_query', source, { catalogue: loadCatalogue('v25'), patternFault, ...context });
}

/** Where and what is wrong with a query, in the order of the text. */
export function placesOf(source: string, context: Partial<CheckContext> = {}): string[] {
  return check(source, context).diagnostics.map(place);
}

/** The same without warnings and notes. */
export function errorsOf(source: string, context: Partial<CheckContext> = {}): string[] {
  return check(source, context)
    .diagnostics.filter(({ severity }) => severity === 'error')
    .map(place);
}

/** Messages with their hints, in the order of the text. */
export function messagesOf(source: string, context: Partial<CheckContext> = {}): string[] {
  return check(source, context).diagnostics.map(({ message, hint }) => (hint ? `${message} ${hint}` : message));
}

/**
 * A query with « and » around what is wrong, and for each pair its codes, such as `BAD_NUMBER` or
 * `INVALID_LIMIT_CLAUSE, LIMITED_TABLE (note)`: the query without the marks, and the places as {@link placesOf} gives them.
 */
export function marked(text: string, ...codes: readonly string[]): { source: string; places: string[] } {
  const source = text.replace(/[«»]/g, '');
  const places = [...text.matchAll(/«([^»]*)»/g)].flatMap(({ index, 1: inner = '' }, earlier) => {
    const start = index - 2 * earlier;
    const span = spanAt(source, start, start + inner.length);
    return (codes[earlier] ?? 'NO_CODE').split(', ').map((found) => {
      const [, code = '', severity = 'error'] = /^(\w+)(?: \((warning|note)\))?$/.exec(found) ?? [];
      return place({ code, severity: severity as Diagnostic['severity'], span, message: '' });
    });
  });
  return { source, places };
}

/** What is sent for a query that must be right. */
export function sent(source: string, context: Partial<CheckContext> = {}): string {
  const { query, diagnostics } = check(source, context);
  if (!query) throw new Error(`Refused: ${diagnostics.map(({ message }) => message).join(' ')}`);
  return query.text;
}
