import { maskRecipient } from '../domain/mask-recipient.ts';
import { formsOf, type SecretForm } from './secret-forms.ts';

/** Gives one token after the other, each of which takes the place of the one before. */
export type TokenGiver = 'ads_token' | 'container_token';

/** Replaces every secret in a text. */
export interface Redact {
  (text: string): string;
  /**
   * Knows one more secret from now on. Of a giver of tokens the newest sixteen are known, so that a program that runs for
   * months does not search every text for tokens that ended long ago; everything else is known for good.
   */
  learn(secret: string, giver?: TokenGiver): void;
}

const LENGTH_MIN = 4;
/** As many as requests that were made with one may still be on their way. */
const TOKENS_KNOWN = 16;

/**
 * Knows the secrets of the settings and the forms in which an answer may hold them ({@link formsOf} names them). A service may echo
 * what we sent it, so every text that comes from outside passes through here before it reaches an error, a log, a report or a database.
 */
export function createRedact(secrets: Iterable<string>): Redact {
  const known = new Map<string, readonly SecretForm[]>();
  const forGood = new Set<string>();
  const given = new Map<TokenGiver, readonly string[]>();
  /** Made when a text comes, so that of many secrets learned at once each is put in its place but once. */
  let longestFirst: readonly SecretForm[] | undefined;

  const know = (secret: string): void => {
    if (secret.length < LENGTH_MIN || known.has(secret)) return;
    known.set(secret, formsOf(secret));
    longestFirst = undefined;
  };
  const forget = (secret: string): void => {
    if (forGood.has(secret) || [...given.values()].some((tokens) => tokens.includes(secret))) return;
    known.delete(secret);
    longestFirst = undefined;
  };
  const learn = (secret: string, giver?: TokenGiver): void => {
    know(secret);
    if (giver === undefined) {
      forGood.add(secret);
      return;
    }
    const tokens = [...(given.get(giver) ?? []).filter((token) => token !== secret), secret];
    given.set(giver, tokens.slice(-TOKENS_KNOWN));
    for (const token of tokens.slice(0, -TOKENS_KNOWN)) forget(token);
  };
  for (const secret of secrets) learn(secret);
  const redact = (text: string) => {
    longestFirst ??= [...known.values()].flat().sort((one, other) => other.length - one.length);
    return longestFirst.reduce(
      (redacted, form) => (redacted.includes(form.plain) ? without(form, redacted) : redacted),
      text,
    );
  };
  return Object.assign(redact, { learn });
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
