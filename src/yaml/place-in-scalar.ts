import { isScalar } from 'yaml';

/** `>-` or `|2`, with what stands behind it on its line. */
const BLOCK_HEADER = /^[|>][-+0-9]*[^\r\n]*(?:\r\n|\r|\n)/;

/**
 * Where a character of the scalar's value stands in the text: folding and indentation change blanks alone, so the same
 * character that is no blank is found by counting those. Undefined for a value that is not written letter by letter.
 */
export function placeInScalar(node: unknown, source: string): ((offset: number) => number) | undefined {
  if (!isScalar(node) || !node.range || typeof node.value !== 'string') return undefined;
  const { value, range } = node;
  const whole = source.slice(range[0], range[1]);
  const header = BLOCK_HEADER.exec(whole)?.[0].length ?? 0;
  const quoted = /^(["'])[\s\S]*\1$/.test(whole) && whole.length > 1 ? 1 : 0;
  const written = whole.slice(header + quoted, whole.length - quoted);
  if (withoutBlanks(written) !== withoutBlanks(value)) return undefined;
  const start = range[0] + header + quoted;
  const places = placesOf(written);
  return (offset) => {
    const before = withoutBlanks(value.slice(0, Math.max(0, offset))).length;
    // A blank stands behind the character before it.
    const isBlank = /^\s?$/.test(value.charAt(offset));
    const at = isBlank ? (places[before - 1] ?? -1) + 1 : (places[before] ?? written.length);
    return start + at;
  };
}

const withoutBlanks = (text: string): string => text.replace(/\s/g, '');

/** Where the characters that are no blanks stand. */
function placesOf(text: string): number[] {
  const places: number[] = [];
  for (let at = 0; at < text.length; at += 1) if (!/\s/.test(text.charAt(at))) places.push(at);
  return places;
}
