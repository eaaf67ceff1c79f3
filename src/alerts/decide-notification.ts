import { ALERT_SEVERITIES, type AlertSeverity } from '../domain/channel.ts';

export interface LastNotification {
  readonly notifiedAtMs: number;
  readonly notifiedAs: 'first' | 'repeat' | 'escalated' | 'resolved';
  readonly notifiedSeverity: AlertSeverity;
}

export interface ConditionNow {
  readonly firing: boolean;
  readonly severity: AlertSeverity;
  readonly silenced: boolean;
}

export interface NotificationPolicy {
  readonly cooldownMs: number;
  readonly repeatMs: number;
}

export interface Notification {
  readonly kind: 'first' | 'repeat' | 'escalated' | 'resolved' | 'nothing';
  /** Words that may follow "because". */
  readonly because: string;
}

/** A silence only postpones. A resolution goes only to people who heard of the beginning. */
export function decideNotification(
  last: LastNotification | undefined,
  now: ConditionNow,
  nowMs: number,
  { cooldownMs, repeatMs }: NotificationPolicy,
): Notification {
  if (now.silenced) return nothing('it is silenced');
  const told = last !== undefined && last.notifiedAs !== 'resolved' ? last : undefined;
  if (!now.firing) {
    return told ? { kind: 'resolved', because: 'it is over, and it was told' } : nothing('nobody was told of it');
  }
  if (last === undefined) return { kind: 'first', because: 'nobody was told of it' };
  const sinceMs = nowMs - last.notifiedAtMs;
  if (!told && sinceMs >= cooldownMs) return { kind: 'first', because: 'it was over and is so again' };
  if (ALERT_SEVERITIES.indexOf(now.severity) > ALERT_SEVERITIES.indexOf(last.notifiedSeverity)) {
    return { kind: 'escalated', because: `it was told as ${last.notifiedSeverity} and is ${now.severity}` };
  }
  if (!told) return nothing('it was told as over a short time ago');
  if (sinceMs >= repeatMs) return { kind: 'repeat', because: 'it still is so' };
  return nothing('it was told a short time ago');
}

function nothing(because: string): Notification {
  return { kind: 'nothing', because };
}
