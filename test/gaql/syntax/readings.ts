import { parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { printQuery } from '../../../src/language/gaql/syntax/print-query.ts';
import { place } from '../findings.ts';

/** A query that is right, to be followed by what a test is about. */
export const S = 'SELECT campaign.id FROM campaign';
export const W = `${S} WHERE campaign.id`;

/** Where and what the syntax alone finds wrong. */
export function syntaxOf(source: string): string[] {
  return parseQuery(source).diagnostics.map(place);
}

/** Every finding as it is told: message and hint. */
export function toldOf(source: string): string {
  return parseQuery(source)
    .diagnostics.map(({ message, hint }) => [message, ...(hint === undefined ? [] : [hint])].join(' '))
    .join('\n');
}

/** How a text without syntax errors is printed. */
export function printed(source: string): string {
  const { tree, diagnostics } = parseQuery(source);
  if (diagnostics.length > 0) throw new Error(`Refused: ${toldOf(source)}`);
  return printQuery(tree);
}
