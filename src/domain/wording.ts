export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  return [...Map.groupBy(items, keyOf).values()];
}

export function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

export function listed(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((text) => text !== '').join(' and ');
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Text such as "a, b or c". */
export function oneOf(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((text) => text !== '').join(' or ');
}

const AT_END = /[.\s]/;

/** Avoids a regular expression, which would be very slow for a long row of full stops. */
export function withoutFullStop(text: string): string {
  let end = text.length;
  while (end > 0 && AT_END.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export type ShowInstant = (instant: string) => string;

/** Text such as `2 h 5 min` or `41 s`, rounded down. */
export function duration(fromText: string, toText: string | undefined): string {
  if (toText === undefined) return '–';
  const seconds = Math.max(0, Math.floor((Date.parse(toText) - Date.parse(fromText)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
