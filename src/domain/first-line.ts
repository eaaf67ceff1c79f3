/** The first line of a text of several: what an alert or an error is about. The lines below it are details of the same. */
export function firstLineOf(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
