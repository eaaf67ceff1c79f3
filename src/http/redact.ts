import { maskRecipient } from '../domain/mask-recipient.ts';

/** Replaces every secret in a text. */
export interface Redact {
  (text: string): string;
  /** Knows one more secret from now on, such as a token that was fetched. */
  learn(secret: string): void;
}

const LENGTH_MIN = 4;

/**
 * Knows the secrets of the settings and their Basic and form encodings. A service may echo what we sent it, so every
 * text that comes from outside passes through here before it reaches an error, a log, a report or a database.
 */
export function createRedact(secrets: Iterable<string>): Redact {
  const forms = new Set<string>();
  let longestFirst: readonly string[] = [];
  const learn = (secret: string): void => {
    if (secret.length < LENGTH_MIN) return;
    const formEncoded = new URLSearchParams({ '': secret }).toString().slice(1);
    const base64 = Buffer.from(secret).toString('base64');
    for (const form of [secret, inAddress(secret), formEncoded, base64]) forms.add(form);
    for (const core of base64Cores(secret)) if (core.length >= LENGTH_MIN) forms.add(core);
    longestFirst = [...forms].sort((one, other) => other.length - one.length);
  };
  for (const secret of secrets) learn(secret);
  const redact = (text: string) =>
    longestFirst.reduce((redacted, form) => redacted.replaceAll(form, '[redacted]'), text);
  return Object.assign(redact, { learn });
}

/** Half of a character cannot stand in an address. */
function inAddress(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret;
  }
}

/**
 * The characters that every Base64 text holding the secret contains, wherever in it the secret begins: a Basic header
 * encodes a user name and a colon before the password.
 */
function base64Cores(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
}

/** An address of a channel as {@link maskRecipient} shows it: area A has digits alone, and is named before them. */
export function maskAddress(channel: string, address: string): string {
  return maskRecipient(address.includes('+') ? address : `${channel}:+${address}`);
}
