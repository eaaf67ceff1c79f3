import type { Diagnostic } from '../../src/domain/diagnostic.ts';
import { PUBLIC_CATALOGUE } from '../../src/gaql/catalogue/catalogue.ts';
import { checkQueryFile } from '../../src/gaql/query-file.ts';

/** `CODE line:column-line:column`, and `(warning)` where it is one. */
export function place({ code, severity, span: { start, end } }: Diagnostic): string {
  const warning = severity === 'warning' ? ' (warning)' : '';
  return `${code} ${start.line}:${start.column}-${end.line}:${end.column}${warning}`;
}

export function check(source: string) {
  return checkQueryFile('a_query', source, PUBLIC_CATALOGUE);
}

/** Where and what is wrong with a query, in the order of the text. */
export function placesOf(source: string): string[] {
  return check(source).diagnostics.map(place);
}

/** What is sent for a query that must be right. */
export function sent(source: string): string {
  const { query, diagnostics } = check(source);
  if (!query) throw new Error(`Refused: ${diagnostics.map(({ message }) => message).join(' ')}`);
  return query.text;
}
