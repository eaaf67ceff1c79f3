import { maskRecipient } from '../domain/mask-recipient.ts';
import { formsOf, type SecretForm } from './secret-forms.ts';

/** Replaces every secret in a text. */
export interface Redact {
  (text: string): string;
  /** Knows one more secret from now on, such as a token that was fetched. */
  learn(secret: string): void;
}

const LENGTH_MIN = 4;

/**
 * Knows the secrets of the settings and the forms in which an answer may hold them ({@link formsOf} names them). A service may echo
 * what we sent it, so every text that comes from outside passes through here before it reaches an error, a log, a report or a database.
 */
export function createRedact(secrets: Iterable<string>): Redact {
  const known = new Set<string>();
  let longestFirst: readonly SecretForm[] = [];
  const learnAll = (more: Iterable<string>): void => {
    const fresh = [...new Set(more)].filter((secret) => secret.length >= LENGTH_MIN && !known.has(secret));
    for (const secret of fresh) known.add(secret);
    longestFirst = [...longestFirst, ...fresh.flatMap(formsOf)].sort((one, other) => other.length - one.length);
  };
  learnAll(secrets);
  const redact = (text: string) =>
    longestFirst.reduce((redacted, form) => (redacted.includes(form.plain) ? without(form, redacted) : redacted), text);
  return Object.assign(redact, { learn: (secret: string) => learnAll([secret]) });
}

function without({ pattern, isWithinBase64 }: SecretForm, text: string): string {
  let kept = '';
  let from = 0;
  for (const { 0: found, index } of text.matchAll(pattern)) {
    let start = index;
    if (isWithinBase64) while (start > from && BASE64.test(text.charAt(start - 1))) start -= 1;
    kept += `${text.slice(from, start)}[redacted]`;
    from = index + found.length;
  }
  return kept + text.slice(from);
}

const BASE64 = /[\w+/-]/;

/** An address of a channel as {@link maskRecipient} shows it: area A has digits alone, and is named before them. */
export function maskAddress(channel: string, address: string): string {
  return maskRecipient(address.includes('+') ? address : `${channel}:+${address}`);
}
