/** With these a spreadsheet's formula begins; the last four are their full-width forms, which some programs turn into them. */
const FORMULA = '[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20]';
/** Where a cell may begin within a text: a program parts cells by semicolons or tabs, as those of many countries do, and lines. */
const PARTS = ';\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029';
/**
 * Quotes and blanks before a formula do not stop it, nor do signs that nobody sees and some programs drop: of no width, of
 * direction, of byte order, fillers, controls. No sign is of both kinds, so that a text is gone through once.
 */
const UNSEEN = `[["\\p{White_Space}\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\u2800]--[${PARTS}]]`;
const CELL_BEGINS = new RegExp(`(^|[${PARTS}])(${UNSEEN}*)(?=${FORMULA})`, 'gv');

/**
 * A text of others as a cell of a CSV file that spreadsheets show and never run: an apostrophe stands before whatever would be a
 * formula, wherever in the text some program lets a cell begin.
 */
export function spreadsheetText(text: string): string {
  const inert = text.replace(CELL_BEGINS, "$1$2'");
  return /^[\t\r]/.test(inert) ? `'${inert}` : inert;
}
