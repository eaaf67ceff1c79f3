import { createHmac } from 'node:crypto';
import { isSame } from '../../services/http/is-same.ts';

/** The signature is a base64 HMAC-SHA1 of the address and {@link signedText}. */
export function isSignedByMessages(signature: string, password: string, url: string, fields: URLSearchParams): boolean {
  const form = signedText(fields);
  // Compares with every spelling, so that timing does not reveal the match.
  return spellings(url).reduce((signed, spelling) => {
    const expected = createHmac('sha1', password)
      .update(spelling + form)
      .digest('base64');
    return isSame(signature, expected) || signed;
  }, false);
}

export function signedText(fields: URLSearchParams): string {
  return [...fields]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => name + value)
    .join('');
}

/** Providers sign the address with or without the default port. */
function spellings(url: string): readonly string[] {
  const [, origin, port, rest = ''] = /^(https?:\/\/(?:\[[^\]]*\]|[^/:?#]*))(:\d+)?(.*)$/s.exec(url) ?? [];
  if (origin === undefined) return [url];
  const usual = origin.startsWith('https:') ? ':443' : ':80';
  return port === undefined ? [url, origin + usual + rest] : [url, origin + rest];
}
