import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Compares in constant time, so that the time reveals nothing about the texts. */
export function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** True if the signature is `sha256=` and the hexadecimal HMAC-SHA256 of the raw body. The key is the app secret. */
export function isSignedByGraph(signature: string, appSecret: string, body: Uint8Array): boolean {
  return isSame(signature, `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`);
}

/**
 * True if the signature is the base64 HMAC-SHA1 of the address and {@link signedText}. The provider may add or omit the
 * default port.
 */
export function isSignedByMessages(signature: string, password: string, url: string, fields: URLSearchParams): boolean {
  const form = signedText(fields);
  // Always compares with all spellings of the address, so that the time does not reveal which one matches.
  return spellings(url).reduce((signed, spelling) => {
    const expected = createHmac('sha1', password)
      .update(spelling + form)
      .digest('base64');
    return isSame(signature, expected) || signed;
  }, false);
}

/** Joins names and values without separators, sorted by name. No name may occur twice. */
export function signedText(fields: URLSearchParams): string {
  return [...fields]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => name + value)
    .join('');
}

/** The address with and without its default port. The provider may sign either. */
function spellings(url: string): readonly string[] {
  const [, origin, port, rest = ''] = /^(https?:\/\/(?:\[[^\]]*\]|[^/:?#]*))(:\d+)?(.*)$/s.exec(url) ?? [];
  if (origin === undefined) return [url];
  const usual = origin.startsWith('https:') ? ':443' : ':80';
  return port === undefined ? [url, origin + usual + rest] : [url, origin + rest];
}
