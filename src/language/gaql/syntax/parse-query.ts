import { EOF, type IRecognitionException, type IToken } from 'chevrotain';
import type { Diagnostic, Span } from '../../../domain/diagnostic.ts';
import { reportTo } from '../report.ts';
import { buildTree } from './build-tree.ts';
import { leaveOutForeignClauses, refuseWords, replaceNestedQueries } from './other-languages.ts';
import { queryGrammar } from './query-grammar.ts';
import { repairKeywords } from './repair-keywords.ts';
import { lexicalFinding, syntaxFinding, tokenSpan } from './syntax-messages.ts';
import { queryLexer, REFUSED_WORDS, Select, Semicolon, UnterminatedComment } from './tokens.ts';
import type { Query } from './tree.ts';

export interface Comment {
  readonly text: string;
  readonly span: Span;
}

export function leadingComment(comments: readonly Comment[], offset: number): string {
  return comments
    .filter(({ span }) => span.start.offset < offset)
    .map(({ text }) => withoutMarks(text))
    .join('\n')
    .trim();
}

function withoutMarks(text: string): string {
  if (!text.startsWith('/*')) return text.replace(/^(?:-+|#+|\/\/+) ?/, '').trimEnd();
  const lines = text.slice(2, -2).split(/\r\n|\r|\n/);
  return lines
    .map((line) => line.replace(/^\s*\*? ?/, '').trimEnd())
    .join('\n')
    .trim();
}

export interface ParsedQuery {
  /** The tree is complete if `diagnostics` has no error. */
  readonly tree: Query;
  readonly diagnostics: readonly Diagnostic[];
  readonly comments: readonly Comment[];
  readonly leadingComment: string;
  readonly semicolon: Span | undefined;
}

/** Reports all syntax errors that are not consequences of other errors. Never throws. */
export function parseQuery(source: string): ParsedQuery {
  const lexed = queryLexer.tokenize(source);
  const diagnostics: Diagnostic[] = [];
  const report = reportTo(diagnostics);
  for (const error of lexed.errors) report(lexicalFinding(error, source, 'query'));
  const unnested = replaceNestedQueries(lexed.tokens, report);
  const known = repairKeywords(refuseWords(unnested, report), report);
  const { kept: words, left } = leaveOutForeignClauses(known, report);
  const refused = unnested.filter(({ tokenType }) => REFUSED_WORDS.has(tokenType) || tokenType === UnterminatedComment);
  const holes = new Set([
    ...lexed.errors.map(({ offset, length }) => offset + length),
    ...left,
    ...refused.map(({ startOffset, endOffset = startOffset }) => endOffset + 1),
  ]);
  const isConsequence = (offset: number) => holes.has(writtenUpTo(source, offset));
  queryGrammar.input = [...words];
  const root = queryGrammar.query();
  const told = new Set(diagnostics.map(({ span }) => span.start.offset));
  const isTold = (offset: number) => told.has(offset) || isConsequence(offset);
  for (const exception of withoutConsequences(queryGrammar.errors, words, isTold, holes.size > 0, source)) {
    report(syntaxFinding(exception, source, words));
  }
  const tree = buildTree(root, source, (finding) => {
    if (words[0]?.tokenType === Select && !isConsequence(finding.span.start.offset)) report(finding);
  });
  diagnostics.sort((a, b) => a.span.start.offset - b.span.start.offset);
  const lastToken = words.at(-1);
  const comments = (lexed.groups.comments ?? []).map((token) => ({ text: token.image, span: tokenSpan(token) }));
  return {
    tree,
    diagnostics,
    comments,
    leadingComment: leadingComment(comments, lexed.tokens[0]?.startOffset ?? Number.POSITIVE_INFINITY),
    semicolon: lastToken?.tokenType === Semicolon ? tokenSpan(lastToken) : undefined,
  };
}

/** Keeps one error per mistake, because one mistake can cause several errors. */
function withoutConsequences(
  exceptions: readonly IRecognitionException[],
  tokens: readonly IToken[],
  isTold: (offset: number) => boolean,
  hasHoles: boolean,
  source: string,
): IRecognitionException[] {
  const isHere = ({ token }: IRecognitionException) =>
    isTold(token.tokenType === EOF ? source.length : token.startOffset);
  // A text that does not begin with SELECT is not a query, so one error is enough.
  if (tokens[0]?.tokenType !== Select) return exceptions.slice(0, 1).filter((exception) => !isHere(exception));
  const wrong = new Set(exceptions.map(({ token }) => token));
  const seen = new Set<IToken>();
  const before = new Map(tokens.map((token, index) => [token, tokens[index - 1]]));
  return exceptions.filter(({ name, token }) => {
    if (seen.has(token)) return false;
    seen.add(token);
    const atEnd = token.tokenType === EOF;
    if (REFUSED_WORDS.has(token.tokenType) || isTold(atEnd ? source.length : token.startOffset)) return false;
    if (name === 'NotAllInputParsedException') return exceptions.length === 1 && !hasHoles;
    const previous = atEnd ? tokens.at(-1) : before.get(token);
    return previous === undefined || !wrong.has(previous);
  });
}

function writtenUpTo(source: string, offset: number): number {
  return source.slice(0, offset).trimEnd().length;
}
