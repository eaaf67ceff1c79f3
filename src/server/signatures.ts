import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Whether two texts are the same, in a time that does not tell how much of them is. */
export function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/**
 * Whether area A's `X-Hub-Signature-256` is that of the body's bytes as they came: `sha256=` and the HMAC-SHA256 with the
 * app secret in hexadecimal.
 */
export function isSignedByGraph(signature: string, appSecret: string, body: Uint8Array): boolean {
  return isSame(signature, `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`);
}

/**
 * Whether area C's `X-Twilio-Signature` is that of the address and the form: the HMAC-SHA1 with the password, in Base64,
 * of the address followed by {@link signedText}. The provider signs an address with or without the scheme's usual port,
 * whichever way it was written.
 */
export function isSignedByMessages(signature: string, password: string, url: string, fields: URLSearchParams): boolean {
  const form = signedText(fields);
  // All are compared whatever comes of the first.
  return spellings(url).reduce((signed, spelling) => {
    const expected = createHmac('sha1', password)
      .update(spelling + form)
      .digest('base64');
    return isSame(signature, expected) || signed;
  }, false);
}

/** The fields of a form as area C signs them, each of which comes once: sorted by name, name then value, nothing between. */
export function signedText(fields: URLSearchParams): string {
  return [...fields]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => name + value)
    .join('');
}

/** `https://example.com/x` is `https://example.com:443/x`, too. */
function spellings(url: string): readonly string[] {
  const [, origin, port, rest = ''] = /^(https?:\/\/(?:\[[^\]]*\]|[^/:?#]*))(:\d+)?(.*)$/s.exec(url) ?? [];
  if (origin === undefined) return [url];
  const usual = origin.startsWith('https:') ? ':443' : ':80';
  return port === undefined ? [url, origin + usual + rest] : [url, origin + rest];
}
