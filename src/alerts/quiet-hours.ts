import type { AlertRecipient } from '../config/alert-settings.ts';
import type { AlertSeverity } from '../domain/channel.ts';
import { addDays, civilDateAt, instantOf } from '../domain/civil-date.ts';

export function isQuiet(
  recipient: Pick<AlertRecipient, 'timeZone' | 'quietHours'>,
  severity: AlertSeverity,
  nowMs: number,
): boolean {
  return severity !== 'critical' && quietUntilMs(recipient, nowMs) !== undefined;
}

/** The end of the quiet hours, in milliseconds since 1970. Undefined outside quiet hours. */
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
