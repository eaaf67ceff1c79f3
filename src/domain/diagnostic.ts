/** `offset` counts UTF-16 units from 0. `line` and `column` start at 1. */
export interface Position {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

export interface Span {
  readonly start: Position;
  readonly end: Position;
}

export interface Diagnostic {
  /** Such as `UNRECOGNIZED_FIELD`. A code is never renamed. */
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'note';
  readonly span: Span;
  readonly message: string;
  readonly hint?: string;
}

export function finding(
  code: string,
  span: Span,
  message: string,
  hint?: string,
  severity: Diagnostic['severity'] = 'error',
): Diagnostic {
  return { code, severity, span, message, ...(hint === undefined ? {} : { hint }) };
}

/** Keeps the line starts of the last text, because many diagnostics of one text would otherwise be slow. */
let lines: { readonly source: string; readonly starts: readonly number[] } = { source: '', starts: [0] };

function lineStarts(source: string): readonly number[] {
  if (source === lines.source) return lines.starts;
  const starts = [0];
  for (const { index, 0: lineEnd } of source.matchAll(/\r\n|\n|\r/g)) starts.push(index + lineEnd.length);
  lines = { source, starts };
  return starts;
}

export function positionAt(source: string, offset: number): Position {
  const starts = lineStarts(source);
  const at = Math.min(offset, source.length);
  let line = 0;
  let behind = starts.length;
  while (behind - line > 1) {
    const middle = (line + behind) >> 1;
    if ((starts[middle] ?? 0) <= at) line = middle;
    else behind = middle;
  }
  return { offset, line: line + 1, column: at - (starts[line] ?? 0) + 1 };
}

export function spanAt(source: string, start: number, end: number): Span {
  return { start: positionAt(source, start), end: positionAt(source, Math.max(start, end)) };
}

const EXCERPT_COLUMNS_MAX = 100;
const EXCERPT_COLUMNS_BEFORE = 40;

/**
 * Returns text such as this, with the hint wrapped at `width` columns:
 *
 *     queries/a.sql:3:8: error: There is no field "metrics.click". [UNRECOGNIZED_FIELD]
 *       3 | SELECT metrics.click
 *         |        ^^^^^^^^^^^^^
 *       hint: Did you mean metrics.clicks?
 */
export function renderDiagnostic(
  file: string,
  source: string,
  diagnostic: Diagnostic,
  width = Number.POSITIVE_INFINITY,
): string {
  const { start, end } = diagnostic.span;
  const place = `${printable(file).replaceAll('\n', '·')}:${start.line}:${start.column}`;
  const head = `${place}: ${diagnostic.severity}: ${printable(diagnostic.message)} [${diagnostic.code}]`;
  const excerpt = source === '' ? [] : excerptOf(source, start, end);
  const hint = diagnostic.hint === undefined ? [] : wrapped(`hint: ${printable(diagnostic.hint)}`, width);
  return [head, ...excerpt, ...hint].join('\n');
}

function excerptOf(source: string, start: Position, end: Position): string[] {
  const lineOffset = start.offset - (start.column - 1);
  // Cut a long line around the finding, so that the caret stays visible.
  const isFar = start.column > EXCERPT_COLUMNS_MAX - 20;
  const from = isFar ? start.column - 1 - EXCERPT_COLUMNS_BEFORE : 0;
  const window = source.slice(lineOffset + from, lineOffset + from + EXCERPT_COLUMNS_MAX);
  const [shown = ''] = window.split(/\r\n|\n|\r/, 1);
  const caretAt = start.column - 1 - from;
  const caretEnd = end.line === start.line ? end.column - 1 - from : shown.length;
  const width = Math.max(1, Math.min(caretEnd, shown.length) - caretAt);
  const number = String(start.line);
  const gutter = ' '.repeat(number.length);
  // Keep tabs, so that the caret lines up at any tab width.
  const padding = shown.slice(0, caretAt).replace(/[^\t]/g, ' ');
  return [`  ${number} | ${printable(shown)}`, `  ${gutter} | ${padding.padEnd(caretAt)}${'^'.repeat(width)}`];
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = ' ';
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > width && line.trim() !== '') {
      lines.push(line);
      line = '       ';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

/** Control characters could move the cursor, colour the terminal or reverse text. */
function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, '·');
}
