/** Replaces every secret in a text. */
export type Redact = (text: string) => string;

const LENGTH_MIN = 4;

/**
 * Knows the secrets of the settings and their Basic and form encodings. A service may echo what we sent it, so every
 * text that comes from outside passes through here before it reaches an error, a log, a report or a database.
 */
export function createRedact(secrets: Iterable<string>): Redact {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < LENGTH_MIN) continue;
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) forms.add(form);
  }
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((redacted, form) => redacted.replaceAll(form, '[redacted]'), text);
}

/** `whatsapp:+49…4567`: enough to tell two recipients apart, not enough to call one. */
export function maskRecipient(recipient: string): string {
  return recipient.replace(/\+(\d{2})\d+(\d{2})$/, '+$1…$2');
}
