/** No service means longer: more is a slip of its own, or a wish to never be asked again that a person should see. */
const PAUSE_MS_MAX = 24 * 60 * 60 * 1000;

/**
 * The pause that an answer asks for before the next try (`Retry-After`, RFC 9110), milliseconds, at most a day. An HTTP date
 * is measured against the answer's own `Date`, so a clock that is wrong, theirs or ours, changes nothing. Undefined when the
 * answer asks for none, or for one that cannot be read.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  const askedMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : untilDateMs(text, headers.date ?? '');
  return askedMs > 0 ? Math.min(Math.ceil(askedMs), PAUSE_MS_MAX) : undefined;
}

/** NaN when one of the two is no HTTP date. */
function untilDateMs(until: string, now: string): number {
  const isDate = (text: string) => /^[A-Za-z]{3,9}, .*\d:\d\d:\d\d GMT$/.test(text);
  return isDate(until) && isDate(now) ? Date.parse(until) - Date.parse(now) : Number.NaN;
}
