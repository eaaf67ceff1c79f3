export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** TypeScript does not declare these members of `JSON` yet: https://tc39.es/proposal-json-parse-with-source */
interface JsonWithSource {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}
const json = JSON as unknown as JsonWithSource;

/** Undefined for invalid JSON. Numbers that would lose digits stay as written. */
export function parseAsWritten(text: string): unknown {
  const asWritten = (_key: string, value: unknown, { source }: { readonly source?: string }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value;
  try {
    return json.parse(text, asWritten);
  } catch {
    return undefined;
  }
}

export function numberAsWritten(value: unknown): unknown {
  return typeof value === 'number' || json.isRawJSON(value) ? JSON.stringify(value) : value;
}
