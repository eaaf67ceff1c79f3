/** Columns as wide as their widest cell, so that the table can be read in a terminal too. */
export function renderTable(head: readonly string[], body: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) =>
    Math.max(3, name.length, ...body.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
