import type { IToken } from 'chevrotain';
import { type Diagnostic, type Span, spanAt } from '../../../domain/diagnostic.ts';
import { tokenSpan } from '../syntax/syntax-messages.ts';

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function rangeOf(first: IToken, last: IToken = first): Pick<Edit, 'start' | 'end'> {
  return { start: first.startOffset, end: tokenSpan(last).end.offset };
}

export interface EditedText {
  readonly text: string;
  readonly inSource: (found: Diagnostic) => Diagnostic;
}

/** `edits` must not overlap. */
export function applyEdits(source: string, edits: readonly Edit[]): EditedText {
  const pieces: { readonly at: number; readonly edit: Edit }[] = [];
  let text = '';
  let copied = 0;
  for (const edit of edits.toSorted((one, other) => one.start - other.start || one.end - other.end)) {
    text += source.slice(copied, edit.start);
    pieces.push({ at: text.length, edit });
    text += edit.text;
    copied = edit.end;
  }
  const place = (offset: number, side: 'start' | 'end'): number => {
    let low = 0;
    let high = pieces.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = pieces[middle]?.at ?? 0;
      if (at < offset || (side === 'start' && at === offset)) low = middle + 1;
      else high = middle;
    }
    const before = pieces[low - 1];
    if (before === undefined) return offset;
    const { at, edit } = before;
    return offset < at + edit.text.length ? edit[side] : edit.end + offset - at - edit.text.length;
  };
  const inSource = (span: Span) => spanAt(source, place(span.start.offset, 'start'), place(span.end.offset, 'end'));
  return { text: text + source.slice(copied), inSource: (found) => ({ ...found, span: inSource(found.span) }) };
}
