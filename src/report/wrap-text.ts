import stringWidth from 'string-width';

const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Breaks a line between words so that it fits `width` columns, and a word that is wider than a line where the line ends; the
 * first line and the others begin as given.
 */
export function wrapText(text: string, width: number, first: string, others: string): string {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of text.split(' ')) {
    if (!empty && stringWidth(line) + 1 + stringWidth(word) > width) {
      lines.push(line.trimEnd());
      line = others;
      empty = true;
    }
    const pieces = piecesOf(word, width - stringWidth(line) - (empty ? 0 : 1), width - stringWidth(others));
    line += `${empty ? '' : ' '}${pieces[0] ?? ''}`;
    for (const piece of pieces.slice(1)) {
      lines.push(line);
      line = `${others}${piece}`;
    }
    empty = false;
  }
  return [...lines, line].join('\n');
}

/** The word as it stands where it fits; else parts of at most so many columns, one character at the least. */
function piecesOf(word: string, firstRoom: number, room: number): string[] {
  if (stringWidth(word) <= firstRoom) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const { segment } of CHARACTERS.segment(word)) {
    const most = pieces.length === 0 ? firstRoom : room;
    if (piece !== '' && stringWidth(piece + segment) > most) {
      pieces.push(piece);
      piece = '';
    }
    piece += segment;
  }
  return [...pieces, piece];
}
