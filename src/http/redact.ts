import { maskRecipient } from '../domain/channel.ts';

interface SecretForm {
  /** What the text holds in any case, for nobody escapes letters and digits: looked for first, which is quick. May be empty. */
  readonly plain: string;
  /** Global; bounded wherever it repeats, so that no text makes it slow. */
  readonly pattern: RegExp;
  /** Is one piece of Base64 with what stands around it: a Basic header encodes a user name before the password. */
  readonly isWithinBase64: boolean;
  /** Longer forms go first, so that nothing is left of a secret that begins with another. */
  readonly length: number;
}

/** Fewer characters are in too many texts that are none. */
const CORE_MIN = 4;

/**
 * Every form of a secret that is looked for: as it is, or with any of its signs escaped as addresses, forms and JSON do it, also
 * JSON within JSON; in either Base64, alone or behind other bytes. SECURITY.md says why these.
 */
function formsOf(secret: string): SecretForm[] {
  return [formOf(secret, false), ...base64Cores(secret).map((core) => formOf(core, true))];
}

function formOf(text: string, isWithinBase64: boolean): SecretForm {
  const runs = text.match(/[A-Za-z0-9]+/g) ?? [''];
  return {
    plain: runs.reduce((longest, run) => (run.length > longest.length ? run : longest)),
    pattern: new RegExp(`${escapedIn(text, isWithinBase64)}${isWithinBase64 ? String.raw`[\w+/-]*={0,2}` : ''}`, 'g'),
    isWithinBase64,
    length: text.length,
  };
}

/** A pattern of the text with any of its signs escaped. A backslash becomes two in JSON, four in JSON within JSON. */
function escapedIn(text: string, isWithinBase64: boolean): string {
  return text.replace(/\\+|[^A-Za-z0-9\\]/gu, (signs) => {
    const escaped = [...signs].map((sign) => `(?:${escapesOf(sign)})`).join('');
    const count = signs.length;
    if (signs.startsWith('\\')) return `(?:${BACKSLASH}{${count},${count * 4}}|${escaped})`;
    const literal = signs.replace(/[$()*+.?[\]^{|}]/, '\\$&');
    // Base64 for addresses has other signs for these.
    const also = isWithinBase64 ? { '+': '|-', '/': '|_' }[signs] : { ' ': '|\\+' }[signs];
    return `(?:${BACKSLASH}{0,3}${literal}|${escaped}${also ?? ''})`;
  });
}

const BACKSLASH = '\\\\';
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't' };

/** A sign as numbers: `%C3%BC`, `\u00fc`; in JSON some have letters. */
function escapesOf(sign: string): string {
  const url = Array.from(Buffer.from(sign), (byte) => `%${hexOf(byte, 2)}`).join('');
  const json = Array.from({ length: sign.length }, (_, at) => `${BACKSLASH}{1,2}u${hexOf(sign.charCodeAt(at), 4)}`);
  const short = SHORT_ESCAPES[sign];
  return `${url}|${json.join('')}${short === undefined ? '' : `|${BACKSLASH}{1,2}${short}`}`;
}

function hexOf(number: number, length: number): string {
  const hex = number.toString(16).padStart(length, '0');
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** The characters that every Base64 text holding the secret contains, wherever in it the secret begins. */
function base64Cores(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const cores = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  return cores.filter(({ length }) => length >= CORE_MIN);
}

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
