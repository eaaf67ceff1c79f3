/**
 * Reads a form's bytes. What cannot be decoded stands as it was sent, and `isWhole` says so: a signature is made of what
 * the sender meant, and is checked before anything is done with the form.
 */
export function readForm(body: Uint8Array): { readonly fields: URLSearchParams; readonly isWhole: boolean } {
  const text = Buffer.from(body).toString('utf8');
  return { fields: new URLSearchParams(text), isWhole: text.split('&').every(isDecodable) };
}

/** Whether a form has more than `max` fields, found without reading them: who sends it has proven nothing yet. */
export function hasMoreFields(body: Buffer, max: number): boolean {
  let fields = 1;
  for (let at = body.indexOf('&'); at !== -1 && fields <= max; at = body.indexOf('&', at + 1)) fields += 1;
  return fields > max;
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part.replaceAll('+', ' '));
    return true;
  } catch {
    return false;
  }
}
