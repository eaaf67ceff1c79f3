import type { Diagnostic, Span } from '../domain/diagnostic.ts';
import { didYouMean } from '../gaql/check/suggest.ts';

/** The finding about a rule that reads a table which no query file fills. */
export function unknownTable(name: string, queries: ReadonlyMap<string, unknown>, span: Span): Diagnostic {
  const hint = didYouMean(name, queries.keys()) ?? `Tables are ${[...queries.keys()].join(', ') || 'none yet'}.`;
  const message = `There is no query file for a table "${name}".`;
  return { code: 'UNKNOWN_TABLE', severity: 'error', span, message, hint };
}
