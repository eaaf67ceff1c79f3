/** One way in which a secret may stand in a text. */
export interface SecretForm {
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
export function formsOf(secret: string): SecretForm[] {
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

/** In small or capital letters. */
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
