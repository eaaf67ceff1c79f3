const AT_END = /[.\s]/;

/**
 * The text without the full stops and blanks at its end. By hand: an expression for it begins anew at each of them, and an answer of
 * a service that is a million full stops and a letter would take it for hours.
 */
export function withoutFullStop(text: string): string {
  let end = text.length;
  while (end > 0 && AT_END.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
