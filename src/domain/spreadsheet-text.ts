/** With these a spreadsheet's formula begins; the last four are their full-width forms, which some programs turn into them. */
const FORMULA = '[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20]';
/**
 * A program that parts cells by semicolons or tabs, as those of many countries do by themselves, sees a cell begin behind each,
 * and behind a line break, in the middle of what stands in quotes for others. Blanks and quotes before a formula do not stop it.
 */
const CELL_BEGINS = new RegExp(`(^|[;\\t\\r\\n])([ \\u00a0"]*)(?=${FORMULA})`, 'g');

/**
 * A text of others as a cell of a CSV file that spreadsheets show and never run: an apostrophe stands before whatever would be a
 * formula, wherever in the text some program lets a cell begin.
 */
export function spreadsheetText(text: string): string {
  const inert = text.replace(CELL_BEGINS, "$1$2'");
  return /^[\t\r]/.test(inert) ? `'${inert}` : inert;
}
