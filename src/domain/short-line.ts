const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The text in at most so many UTF-16 units, with an ellipsis where it was cut: between words, and in a word that alone is most
 * of the text between characters. What people see as one character stays whole.
 */
export function cutText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  let length = 0;
  // A character may go on behind the limit: as much again is looked at as any has.
  for (const { segment } of characters.segment(text.slice(0, lengthMax + 64))) {
    if (length + segment.length > lengthMax - 1) break;
    length += segment.length;
  }
  const cut = text.slice(0, length);
  const words = /\s/.test(text.charAt(length)) ? cut : cut.replace(/\s+\S*$/, '');
  const kept = words.length * 2 > length ? words : cut;
  return `${kept.replace(/[\s,;:]+$/, '')}…`;
}

/**
 * A text of others as one line of at most so many UTF-16 units: a name, or an answer of a service, may hold line breaks, which
 * would make lines of their own, and be of any length. Cut like {@link cutText}.
 */
export function shortLine(text: string, most: number): string {
  return cutText(text.replace(/\s+/g, ' ').trim(), most);
}
