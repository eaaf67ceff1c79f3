interface SecretForm {
  /** A part of the secret that no encoding changes, for a fast first check. */
  readonly plain: string;
  readonly pattern: RegExp;
  /** If true, all Base64 text around the match is removed, because a user name can stand before the password. */
  readonly isWithinBase64: boolean;
  /** Longer forms are removed first, because a secret can start with another secret. */
  readonly length: number;
}

/** Shorter Base64 text would match too many harmless texts. */
const CORE_MIN = 4;

/** Finds the secret as plain text and in URLs, forms, JSON and Base64. See SECURITY.md. */
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

/** A backslash becomes two backslashes in JSON, and four in nested JSON. */
function escapedIn(text: string, isWithinBase64: boolean): string {
  return text.replace(/\\+|[^A-Za-z0-9\\]/gu, (signs) => {
    const escaped = [...signs].map((sign) => `(?:${escapesOf(sign)})`).join('');
    const count = signs.length;
    if (signs.startsWith('\\')) return `(?:${BACKSLASH}{${count},${count * 4}}|${escaped})`;
    const literal = signs.replace(/[$()*+.?[\]^{|}]/, '\\$&');
    // URL-safe Base64 has `-` for `+`, and `_` for `/`. A form has `+` for a blank.
    const also = isWithinBase64 ? { '+': '|-', '/': '|_' }[signs] : { ' ': '|\\+' }[signs];
    return `(?:${BACKSLASH}{0,3}${literal}|${escaped}${also ?? ''})`;
  });
}

const BACKSLASH = '\\\\';
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't' };

/** Matches escapes such as `%C3%BC` and `\u00fc`, and short escapes of JSON. */
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

/** Returns the Base64 characters that depend only on the secret, for each of three offsets. */
function base64Cores(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const cores = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  return cores.filter(({ length }) => length >= CORE_MIN);
}

export type TokenGiver = 'ads_token' | 'container_token' | 'picture';

export interface Redact {
  (text: string): string;
  /** Keeps the newest sixteen tokens of each `giver`, and all other secrets forever. */
  learn(secret: string, giver?: TokenGiver): void;
}

const LENGTH_MIN = 4;
/** Keeps several tokens, because running requests can still use an older token. */
const TOKENS_KNOWN = 16;

/** Every external text must pass here before it reaches an error, log, report or database. */
export function createRedact(secrets: Iterable<string>): Redact {
  const known = new Map<string, readonly SecretForm[]>();
  const forGood = new Set<string>();
  const given = new Map<TokenGiver, readonly string[]>();
  /** Sorted only when needed, because many secrets can be learned before the next text. */
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
