/**
 * Reads a form's bytes. What cannot be decoded stands as it was sent, and `isWhole` says so: a signature is made of what
 * the sender meant, and is checked before anything is said about the form.
 */
export function readForm(body: Uint8Array): { readonly fields: URLSearchParams; readonly isWhole: boolean } {
  const text = Buffer.from(body).toString('utf8');
  return { fields: new URLSearchParams(text), isWhole: text.split('&').every(isDecodable) };
}

/**
 * Each name's values, in the order in which they came, in one pass: who sends a form has proven nothing yet, and to search all
 * fields for each of tens of thousands of names would keep everybody else waiting for seconds.
 */
export function valuesByName(fields: URLSearchParams): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, value] of fields) {
    const values = found.get(name);
    if (values === undefined) found.set(name, [value]);
    else values.push(value);
  }
  return found;
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part.replaceAll('+', ' '));
    return true;
  } catch {
    return false;
  }
}
