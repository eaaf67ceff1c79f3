import type { AlertSeverity } from '../domain/channel.ts';
import type { CustomerId } from '../domain/ids.ts';

export interface AlertSubject {
  readonly severity: AlertSeverity;
  readonly customerId: CustomerId | undefined;
  readonly rule: string | undefined;
}

/** An undefined field matches any value. */
export interface SilenceScope {
  readonly customerId: CustomerId | undefined;
  /** `*` stands for any characters. */
  readonly rule: string | undefined;
  readonly severity: AlertSeverity | undefined;
}

export function silenceMatches(silence: SilenceScope, alert: AlertSubject): boolean {
  return (
    (silence.customerId === undefined || silence.customerId === alert.customerId) &&
    (silence.severity === undefined || silence.severity === alert.severity) &&
    (silence.rule === undefined || matchesName(silence.rule, alert.rule))
  );
}

export function matchesName(pattern: string, name: string | undefined): boolean {
  if (name === undefined) return false;
  const parts = pattern.split('*');
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  // The first match of each part is enough, so every pattern is fast.
  let from = first.length;
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
}
