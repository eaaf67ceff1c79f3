/** Whether the whole of a text is like the pattern: `%` any text, `_` any one character, whatever the case of letters. */
export function likePattern(pattern: string): (text: string) => boolean {
  const parts = pattern.split(/%+/).map(fold);
  const [first = [], ...rest] = parts;
  const last = rest.pop();
  return (written) => {
    const text = fold(written);
    if (last === undefined) return text.length === first.length && standsAt(text, first, 0);
    if (text.length < first.length + last.length || !standsAt(text, first, 0)) return false;
    const end = text.length - last.length;
    let from = first.length;
    // The earliest place is never worse than a later one, so that no pattern takes long.
    for (const part of rest) {
      while (from + part.length <= end && !standsAt(text, part, from)) from += 1;
      from += part.length;
      if (from > end) return false;
    }
    return standsAt(text, last, end);
  };
}

/** Characters, not halves of them. Upper case first, so that letters with two small forms are one. */
const fold = (text: string): string[] => Array.from(text.toUpperCase().toLowerCase());

function standsAt(text: readonly string[], part: readonly string[], offset: number): boolean {
  return part.every((character, index) => character === '_' || character === text[offset + index]);
}
