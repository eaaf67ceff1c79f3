import { ALERT_SEVERITIES, type AlertSeverity } from '../../domain/channel.ts';

export interface LastNotification {
  /** When the condition began. */
  readonly firedAtMs: number;
  readonly notifiedAtMs: number;
  readonly notifiedAs: 'first' | 'repeat' | 'escalated' | 'resolved';
  readonly notifiedSeverity: AlertSeverity;
}

export interface ConditionNow {
  readonly firing: boolean;
  readonly severity: AlertSeverity;
  readonly silenced: boolean;
  /** The severity at the last look, if a person has seen the last notification. */
  readonly acknowledged?: AlertSeverity | undefined;
}

export interface NotificationPolicy {
  readonly cooldownMs: number;
  readonly repeatMs: number;
}

export interface Notification {
  readonly kind: 'first' | 'repeat' | 'escalated' | 'resolved' | 'nothing';
  /** Words that can follow "because". */
  readonly because: string;
}

/** A resolved condition is reported only if its beginning was reported. */
export function decideNotification(
  last: LastNotification | undefined,
  now: ConditionNow,
  nowMs: number,
  { cooldownMs, repeatMs }: NotificationPolicy,
): Notification {
  if (now.silenced) return nothing('it is silenced');
  const told = last !== undefined && last.notifiedAs !== 'resolved' ? last : undefined;
  if (!now.firing) {
    return told ? { kind: 'resolved', because: 'it is resolved, and it was reported' } : nothing('it was not reported');
  }
  if (last === undefined) return { kind: 'first', because: 'it is new' };
  const sinceMs = nowMs - last.notifiedAtMs;
  if (!told && sinceMs >= cooldownMs) return { kind: 'first', because: 'it was resolved and is true again' };
  // Nothing is repeated after an acknowledgement, so a condition that became less severe may become worse again.
  const before = now.acknowledged ?? last.notifiedSeverity;
  if (ALERT_SEVERITIES.indexOf(now.severity) > ALERT_SEVERITIES.indexOf(before)) {
    return { kind: 'escalated', because: `it was ${before} and is now ${now.severity}` };
  }
  if (!told) return nothing('it was reported as resolved a short time ago');
  if (now.acknowledged !== undefined) return nothing('it is acknowledged');
  if (isRepeatDue(last, nowMs, repeatMs)) return { kind: 'repeat', because: 'it is still true' };
  return nothing('it was reported a short time ago');
}

/**
 * Counts from the beginning of the condition: a run that is late once delays no later repetition.
 * A daily run is never exactly on time, and when clocks are set forward it is an hour early.
 * So a repetition may come an eighth of its time too early.
 */
function isRepeatDue({ firedAtMs, notifiedAtMs }: LastNotification, nowMs: number, repeatMs: number): boolean {
  const repetitionAt = (ms: number) => Math.floor((ms - firedAtMs + repeatMs / 8) / repeatMs);
  return repetitionAt(nowMs) > repetitionAt(notifiedAtMs) && nowMs - notifiedAtMs >= (repeatMs * 3) / 4;
}

function nothing(because: string): Notification {
  return { kind: 'nothing', because };
}
