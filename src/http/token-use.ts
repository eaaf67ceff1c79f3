/** A token that was given, as a header can carry it: visible signs of ASCII, without spaces (RFC 9110). */
export const TOKEN = /^[\x21-\x7e]+$/;

const LEFT_OVER_MS = 120_000;

/**
 * How long a token is used that lives so long, milliseconds: until two minutes before its end, so that none ends on its way,
 * or for three quarters of a short life, so that it serves more than one request.
 */
export function tokenUseMs(livesMs: number): number {
  return livesMs - Math.min(LEFT_OVER_MS, livesMs / 4);
}
