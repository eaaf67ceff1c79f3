import type { ILexingError, IRecognitionException, IToken } from 'chevrotain';
import type { Diagnostic } from '../domain/diagnostic.ts';
import { buildTree } from './build-tree.ts';
import { queryGrammar } from './query-grammar.ts';
import { lexicalDiagnostic, syntaxDiagnostic } from './syntax-messages.ts';
import { queryLexer } from './tokens.ts';
import type { Query } from './tree.ts';

export interface ParsedQuery {
  /** What could be read; complete when `diagnostics` has no error. */
  readonly tree: Query;
  readonly diagnostics: readonly Diagnostic[];
  /** The comment lines above the first word, their dashes removed. */
  readonly leadingComment: string;
}

/** Text to tree: every syntax error of the text, in the order of the text. Never throws on any text. */
export function parseQuery(source: string): ParsedQuery {
  const lexed = queryLexer.tokenize(source);
  const diagnostics: Diagnostic[] = lexed.errors.map((error) => lexicalDiagnostic(error, source));
  queryGrammar.input = lexed.tokens;
  const root = queryGrammar.query();
  const lastToken = lexed.tokens.at(-1);
  for (const exception of withoutConsequences(queryGrammar.errors, lexed.errors, source, lastToken)) {
    diagnostics.push(syntaxDiagnostic(exception, source, lastToken));
  }
  const tree = buildTree(root, source, (finding) => diagnostics.push({ ...finding, severity: 'error' }));
  diagnostics.sort((a, b) => a.span.start.offset - b.span.start.offset);
  const firstOffset = lexed.tokens[0]?.startOffset ?? Number.POSITIVE_INFINITY;
  const leadingComment = (lexed.groups.comments ?? [])
    .filter((comment) => comment.startOffset < firstOffset)
    .map((comment) => comment.image.replace(/^-+ ?/, '').trimEnd())
    .join('\n')
    .trim();
  return { tree, diagnostics, leadingComment };
}

/**
 * One mistake, one message. A symbol without meaning leaves a hole that the parser stumbles over, a mistake in the last
 * word leaves nothing to go on with, and after another mistake the text may be left over unread: dropped, all three.
 */
function withoutConsequences(
  exceptions: readonly IRecognitionException[],
  symbols: readonly ILexingError[],
  source: string,
  lastToken: IToken | undefined,
): IRecognitionException[] {
  const holeEnds = new Set(symbols.map(({ offset, length }) => offset + length));
  const stumbled = exceptions.some(({ token }) => token === lastToken);
  return exceptions.filter(({ name, token }) => {
    const atEnd = Number.isNaN(token.startOffset);
    const before = source.slice(0, atEnd ? source.length : token.startOffset).trimEnd().length;
    if (holeEnds.has(before)) return false;
    if (name === 'NotAllInputParsedException') return exceptions.length === 1 && symbols.length === 0;
    return !(atEnd && stumbled);
  });
}
