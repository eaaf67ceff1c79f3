export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  return [...Map.groupBy(items, keyOf).values()];
}

export function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

export function listed(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((text) => text !== '').join(' and ');
}

const AT_END = /[.\s]/;

/** Avoids a regular expression, which would be very slow for a long row of full stops. */
export function withoutFullStop(text: string): string {
  let end = text.length;
  while (end > 0 && AT_END.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export type ShowInstant = (instant: string) => string;

export const asRecorded: ShowInstant = (instant) => instant;
