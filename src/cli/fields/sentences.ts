/** Splits behind a full stop that a capital follows. */
export function sentences(text: string): string[] {
  return text.split(/(?<=[.!?]) (?=[A-Z])/);
}
