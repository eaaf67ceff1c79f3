import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** True if the texts are equal. Compares in constant time, so that timing reveals nothing. */
export function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** The signature is `sha256=` and the hexadecimal HMAC-SHA256 of the raw body, keyed with the app secret. */
export function isSignedByGraph(signature: string, appSecret: string, body: Uint8Array): boolean {
  return isSame(signature, `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`);
}

/** Base64 HMAC-SHA1 of the address and {@link signedText}. The provider may add or omit the default port. */
export function isSignedByMessages(signature: string, password: string, url: string, fields: URLSearchParams): boolean {
  const form = signedText(fields);
  // Compares with all spellings, so that timing does not reveal the matching one.
  return spellings(url).reduce((signed, spelling) => {
    const expected = createHmac('sha1', password)
      .update(spelling + form)
      .digest('base64');
    return isSame(signature, expected) || signed;
  }, false);
}

/** Joins names and values without separators, sorted by name. Each name must occur once. */
export function signedText(fields: URLSearchParams): string {
  return [...fields]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => name + value)
    .join('');
}

/** The signed address with and without the default port. */
function spellings(url: string): readonly string[] {
  const [, origin, port, rest = ''] = /^(https?:\/\/(?:\[[^\]]*\]|[^/:?#]*))(:\d+)?(.*)$/s.exec(url) ?? [];
  if (origin === undefined) return [url];
  const usual = origin.startsWith('https:') ? ':443' : ':80';
  return port === undefined ? [url, origin + usual + rest] : [url, origin + rest];
}
