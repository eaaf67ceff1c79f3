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
 * Every form of a secret that is looked for: as it is, or with any of its signs escaped as addresses, forms, JSON, HTML and programs
 * do it, also twice over, such as JSON within JSON; in either Base64, alone or behind other bytes; in hex. Not in compressed texts,
 * in Base64 that is broken into lines, in an encoding of an encoding of bytes, nor cut off within.
 */
export function formsOf(secret: string): SecretForm[] {
  const hex = Buffer.from(secret).toString('hex');
  return [
    formOf(secret, false),
    ...base64Cores(secret).map((core) => formOf(core, true)),
    ...[hex, hex.toUpperCase()].map((digits) => formOf(digits, false)),
  ];
}

function formOf(text: string, isWithinBase64: boolean): SecretForm {
  const runs = text.match(/[A-Za-z0-9]+/g) ?? [''];
  return {
    plain: runs.reduce((longest, run) => (run.length > longest.length ? run : longest)),
    pattern: new RegExp(`${escapedIn(text, isWithinBase64)}${isWithinBase64 ? String.raw`[\w+/-]*={0,2}` : ''}`, 'g'),
    ...{ isWithinBase64, length: text.length },
  };
}

/** A pattern of the text with any of its signs escaped. */
function escapedIn(text: string, isWithinBase64: boolean): string {
  return text.replace(/\\+|[^A-Za-z0-9\\]/gu, (signs) => {
    const [sign = ''] = signs;
    if (sign === '\\')
      return `(?:${BACKSLASH}{${signs.length},${signs.length * 8}}|(?:${escapesOf(sign)}){${signs.length}})`;
    // Base64 for addresses has other signs for these.
    const also = isWithinBase64 ? { '+': '-', '/': '_' }[sign] : undefined;
    const spaces = sign === ' ' ? ['\\+'] : [];
    // A backslash before a sign is escaped itself where JSON stands within JSON: three, seven.
    return `(?:${[`${BACKSLASH}{0,7}${literal(sign)}`, ...spaces, ...(also ? [also] : []), escapesOf(sign)].join('|')})`;
  });
}

const BACKSLASH = '\\\\';
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't' };

/** A sign as numbers or names: `\u00fc`, `\xfc`, `%C3%BC`, `&#252;`, `&#xFC;`, `&uuml;`. */
function escapesOf(sign: string): string {
  const point = sign.codePointAt(0) ?? 0;
  const bytes = [...Buffer.from(sign)];
  const escapes = [
    unitsOf(sign)
      .map((unit) => `${BACKSLASH}{1,8}u${digits(unit, 4)}`)
      .join(''),
    bytes.map((byte) => `%(?:25){0,2}${digits(byte, 2)}`).join(''),
    bytes.map((byte) => `${BACKSLASH}{1,8}x${digits(byte, 2)}`).join(''),
    // Names are taken whatever they are: what stands around them is the secret's.
    `&(?:amp;){0,2}(?:#0{0,6}${point}|#[xX]0{0,6}${digits(point, 1)}|[A-Za-z][A-Za-z0-9]{1,31});`,
  ];
  if (point > 0x7f && point <= 0xff) escapes.push(`${BACKSLASH}{1,8}x${digits(point, 2)}`);
  const short = SHORT_ESCAPES[sign];
  if (short !== undefined) escapes.push(`${BACKSLASH}{1,8}${short}`);
  return escapes.join('|');
}

/** In hex, in small or capital letters. */
function digits(number: number, length: number): string {
  const hex = number.toString(16).padStart(length, '0');
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function literal(sign: string): string {
  return unitsOf(sign)
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
}

function unitsOf(sign: string): number[] {
  return Array.from({ length: sign.length }, (_, index) => sign.charCodeAt(index));
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
