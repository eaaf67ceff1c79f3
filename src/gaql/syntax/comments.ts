import type { Span } from '../../domain/diagnostic.ts';

/** `-- so`, `# so`, `// so` or a block between stars, as it is written. */
export interface Comment {
  readonly text: string;
  readonly span: Span;
}

/** The text of the comments that begin before `offset`, without their marks, a line per line. */
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
