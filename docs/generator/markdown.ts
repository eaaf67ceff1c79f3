/** A table whose cells are Markdown already, but for the strokes that would end a cell. */
export function renderTable(head: readonly string[], body: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...body.map(line)].join('\n');
}

/** A name and its meaning, both as Markdown. */
export type Term = readonly [name: string, meaning: string];

/** Two columns of facts as a list: phones break its lines, and scroll a table. */
export const renderTerms = (terms: readonly Term[]): string =>
  terms.map(([name, meaning]) => `- ${name}: ${meaning}`).join('\n');

/** Text of the program as Markdown text: what looks like a tag would vanish from the page otherwise. */
export function plain(text: string): string {
  return text.replaceAll('<', '\\<').replaceAll('*', '\\*');
}

export const code = (text: string): string => `\`${text}\``;

/** What GitHub and most generators of sites make of a heading when it is linked to. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}
