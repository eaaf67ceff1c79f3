import stringWidth from 'string-width';

/** Breaks a line between words so that it fits `width` columns; the first line and the others begin as given. */
export function wrapText(text: string, width: number, first: string, others: string): string {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of text.split(' ')) {
    if (!empty && stringWidth(line) + 1 + stringWidth(word) > width) {
      lines.push(line);
      line = others;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line].join('\n');
}
