/** Items in the order of the first of each group. */
export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  return [...Map.groupBy(items, keyOf).values()];
}

/** "1 day", "7 days". */
export function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** "a, b and c". */
export function listed(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((text) => text !== '').join(' and ');
}

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

/** How a person reads an instant that the record has in UTC with seconds. */
export type ShowInstant = (instant: string) => string;

export const asRecorded: ShowInstant = (instant) => instant;
