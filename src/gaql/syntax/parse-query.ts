import type { ILexingError, IRecognitionException, IToken } from 'chevrotain';
import type { Diagnostic } from '../../domain/diagnostic.ts';
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
  const diagnostics: Diagnostic[] = lexed.errors.map((error) => lexicalDiagnostic(error, source, 'query'));
  queryGrammar.input = lexed.tokens;
  const root = queryGrammar.query();
  const lastToken = lexed.tokens.at(-1);
  for (const exception of withoutConsequences(queryGrammar.errors, lexed.errors, source, lexed.tokens)) {
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
 * One mistake, one message. A symbol without meaning leaves a hole that the parser stumbles over, it stumbles again over
 * the word after a wrong one, and what it gave up on is left over unread: none of these is told.
 */
function withoutConsequences(
  exceptions: readonly IRecognitionException[],
  symbols: readonly ILexingError[],
  source: string,
  tokens: readonly IToken[],
): IRecognitionException[] {
  const holeEnds = new Set(symbols.map(({ offset, length }) => offset + length));
  const wrong = new Set(exceptions.map(({ token }) => token));
  const before = new Map(tokens.map((token, index) => [token, tokens[index - 1]]));
  return exceptions.filter(({ name, token }) => {
    const atEnd = Number.isNaN(token.startOffset);
    const written = source.slice(0, atEnd ? source.length : token.startOffset).trimEnd().length;
    if (holeEnds.has(written)) return false;
    if (name === 'NotAllInputParsedException') return exceptions.length === 1 && symbols.length === 0;
    const previous = atEnd ? tokens.at(-1) : before.get(token);
    return previous === undefined || !wrong.has(previous);
  });
}
