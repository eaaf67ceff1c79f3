/** Longest reason that a person may give for an act, in UTF-16 units. */
export const REASON_LENGTH_MAX = 500;

/** One line for the record: line breaks, tabs and control characters become single spaces. */
export function recordLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}
