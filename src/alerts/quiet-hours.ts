import type { AlertRecipient } from '../config/alert-settings.ts';
import type { AlertSeverity } from '../domain/channel.ts';
import { addDays, civilDateAt, instantOf } from '../domain/civil-date.ts';

/** Whether the recipient wants to be left alone now. What is critical does not wait. */
export function isQuiet(
  recipient: Pick<AlertRecipient, 'timeZone' | 'quietHours'>,
  severity: AlertSeverity,
  nowMs: number,
): boolean {
  return severity !== 'critical' && quietUntilMs(recipient, nowMs) !== undefined;
}

/**
 * The instant at which the quiet hours end in which `nowMs` lies; undefined outside of them. They are one stretch from
 * the first instant at which the recipient's clock shows the beginning to the first at which it shows the end: an hour
 * that comes twice does not interrupt them, and a time that is skipped counts as much later as the clocks were moved.
 */
export function quietUntilMs(
  { timeZone, quietHours }: Pick<AlertRecipient, 'timeZone' | 'quietHours'>,
  nowMs: number,
): number | undefined {
  if (quietHours === undefined) return undefined;
  const { from, to } = quietHours;
  const today = civilDateAt(nowMs, timeZone);
  for (const day of [addDays(today, -1), today]) {
    const endsOn = from < to ? day : addDays(day, 1);
    const endMs = instantOf(endsOn, to, timeZone);
    if (instantOf(day, from, timeZone) <= nowMs && nowMs < endMs) return endMs;
  }
  return undefined;
}
