/** The calendar day of an instant in a time zone, `YYYY-MM-DD`: by other means than the product's. */
export function dayOf(instantMs: number, timeZone: string): string {
  let format = FORMATS.get(timeZone);
  if (format === undefined) {
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
    format = new Intl.DateTimeFormat('en-CA', { timeZone, ...parts });
    FORMATS.set(timeZone, format);
  }
  return format.format(instantMs);
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

const MINUTE_MS = 60_000;

/** The first instant of the next calendar day there, found by looking: days have 23, 24 or 25 hours. */
export function nextMidnightMs(instantMs: number, timeZone: string): number {
  const today = dayOf(instantMs, timeZone);
  let at = Math.floor(instantMs / MINUTE_MS) * MINUTE_MS;
  for (const step of [60, 15, 1]) {
    while (dayOf(at + step * MINUTE_MS, timeZone) === today) at += step * MINUTE_MS;
  }
  return at + MINUTE_MS;
}
