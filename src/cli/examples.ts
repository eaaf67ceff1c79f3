/** What stands below the help of a command: at least two command lines, and before them what they do not say themselves. */
export function examples(lines: readonly string[], about?: string): string {
  const before = about === undefined ? '' : `\n${about}\n`;
  return `${before}\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}
