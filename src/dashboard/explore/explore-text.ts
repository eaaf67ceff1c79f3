export const MODEL_NAME = /^[a-z][a-z0-9_]{0,62}$/;

/** The query of an address or a form. Forms send line breaks as CR and LF. */
export function sqlIn(fields: URLSearchParams): string {
  return (fields.get('sql') ?? '').replaceAll('\r\n', '\n');
}
