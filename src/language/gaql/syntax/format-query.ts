import type { Position } from '../../../domain/diagnostic.ts';
import type { Comment, ParsedQuery } from './parse-query.ts';
import { printCondition, printOrdering, printParameter, printSelected, printValue } from './print-query.ts';
import { type Condition, type Query, takesList } from './tree.ts';

const WIDTH = 100;

interface Piece {
  readonly text: string;
  readonly indent: string;
  readonly start: Position;
  readonly end: Position;
}

/** Only for texts without syntax errors. Formatting the result again changes nothing. */
export function formatQuery({ tree, comments }: ParsedQuery): string {
  const lines: string[] = [];
  let next = 0;
  const pieces = piecesOf(tree);
  for (const [index, piece] of pieces.entries()) {
    const leading = takeWhile(comments, next, ({ span }) => span.start.offset < piece.end.offset);
    next += leading.length;
    for (const line of ownLines(leading, piece.indent)) lines.push(line);
    const last = leading.at(-1);
    // Keeps the author's blank line between a comment and the query.
    if (index === 0 && last && piece.start.line > last.span.end.line + 1) lines.push('');
    const limit = pieces[index + 1]?.start.offset ?? Number.POSITIVE_INFINITY;
    const trailing = takeWhile(
      comments,
      next,
      ({ span }) => span.start.line === piece.end.line && span.start.offset < limit,
    );
    next += trailing.length;
    lines.push([`${piece.indent}${piece.text}`, ...trailing.map(textOfComment)].join(' '));
  }
  for (const line of ownLines(comments.slice(next), '')) lines.push(line);
  return `${lines.join('\n')}\n`;
}

function takeWhile(comments: readonly Comment[], from: number, wanted: (comment: Comment) => boolean): Comment[] {
  const taken: Comment[] = [];
  for (let index = from; index < comments.length; index += 1) {
    const comment = comments[index];
    if (!comment || !wanted(comment)) break;
    taken.push(comment);
  }
  return taken;
}

function ownLines(comments: readonly Comment[], indent: string): string[] {
  return comments.flatMap((comment, index) => {
    const before = comments[index - 1];
    const apart = before !== undefined && comment.span.start.line > before.span.end.line + 1;
    return [...(apart ? [''] : []), `${indent}${textOfComment(comment)}`];
  });
}

function textOfComment({ text }: Comment): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trimEnd())
    .join('\n');
}

function piecesOf({ span, select, from, where, orderBy, limit, parameters }: Query): Piece[] {
  const { line, column, offset } = span.start;
  const afterSelect = { line, column: column + 'SELECT'.length, offset: offset + 'SELECT'.length };
  return [
    { text: 'SELECT', indent: '', start: span.start, end: afterSelect },
    ...select.map((field, index) => ({
      text: `${printSelected(field)}${comma(index, select)}`,
      indent: '  ',
      start: field.span.start,
      end: (field.alias ?? field).span.end,
    })),
    ...(from ? [{ text: `FROM ${from.name}`, indent: '', ...from.span }] : []),
    ...where.map((condition, index) => ({
      text: `${index === 0 ? 'WHERE' : 'AND'} ${layOutCondition(condition)}`,
      indent: index === 0 ? '' : '  ',
      start: condition.field.span.start,
      end: condition.valuesSpan.end,
    })),
    ...orderBy.map((ordering, index) => ({
      text: `${index === 0 ? 'ORDER BY ' : ''}${printOrdering(ordering)}${comma(index, orderBy)}`,
      indent: index === 0 ? '' : '  ',
      ...ordering.span,
    })),
    ...(limit ? [{ text: `LIMIT ${limit.rows}`, indent: '', ...limit.span }] : []),
    ...parameters.map((parameter, index) => ({
      text: `${index === 0 ? 'PARAMETERS ' : ''}${printParameter(parameter)}${comma(index, parameters)}`,
      indent: index === 0 ? '' : '  ',
      start: parameter.nameSpan.start,
      end: parameter.value.span.end,
    })),
  ];
}

const comma = (index: number, of: readonly unknown[]): string => (index < of.length - 1 ? ',' : '');

function layOutCondition(condition: Condition): string {
  const whole = printCondition(condition);
  if (!takesList(condition.operator) || whole.length <= WIDTH) return whole;
  const lines: string[] = [];
  let line = '';
  for (const [index, value] of condition.values.entries()) {
    const word = `${printValue(value)}${comma(index, condition.values)}`;
    if (line !== '' && line.length + word.length >= WIDTH) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? `    ${word}` : `${line} ${word}`;
  }
  return [`${condition.field.name} ${condition.operator} (`, ...lines, line, '  )'].join('\n');
}
