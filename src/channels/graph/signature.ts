import { createHmac } from 'node:crypto';
import { isSame } from '../../services/http/is-same.ts';

/** Expects `sha256=` and the hexadecimal HMAC of the raw body. */
export function isSignedByGraph(signature: string, appSecret: string, body: Uint8Array): boolean {
  return isSame(signature, `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`);
}
