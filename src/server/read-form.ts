/**
 * Reads a form's bytes. What cannot be decoded stands as it was sent, and `isWhole` says so: a signature is made of what
 * the sender meant, and is checked before anything is said about the form.
 */
export function readForm(body: Uint8Array): { readonly fields: URLSearchParams; readonly isWhole: boolean } {
  const text = Buffer.from(body).toString('utf8');
  return { fields: new URLSearchParams(text), isWhole: text.split('&').every(isDecodable) };
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part.replaceAll('+', ' '));
    return true;
  } catch {
    return false;
  }
}
