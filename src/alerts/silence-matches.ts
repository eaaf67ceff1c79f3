import type { AlertSeverity } from '../domain/channel.ts';
import type { CustomerId } from '../domain/ids.ts';

/** What an alert is about, as far as routes and silences ask. */
export interface AlertSubject {
  readonly severity: AlertSeverity;
  readonly customerId: CustomerId | undefined;
  readonly rule: string | undefined;
}

/** What a person wants to hear nothing of; an absent part means any. */
export interface SilenceScope {
  readonly customerId: CustomerId | undefined;
  /** A rule's name; `*` stands for any letters. */
  readonly rule: string | undefined;
  readonly severity: AlertSeverity | undefined;
}

/** Whether an alert is one of those that are silenced: it has every part that the silence names. */
export function silenceMatches(silence: SilenceScope, alert: AlertSubject): boolean {
  return (
    (silence.customerId === undefined || silence.customerId === alert.customerId) &&
    (silence.severity === undefined || silence.severity === alert.severity) &&
    (silence.rule === undefined || matchesName(silence.rule, alert.rule))
  );
}

/** Whether a rule's name is of the pattern, in which `*` stands for any letters. What is of no rule is of no pattern. */
export function matchesName(pattern: string, name: string | undefined): boolean {
  if (name === undefined) return false;
  const parts = pattern.split('*');
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  // Each part at its first place after the one before: linear, whatever the pattern is.
  let from = first.length;
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
}
