import { createHmac } from 'node:crypto';

/**
 * Area C's `X-Twilio-Signature`: base64 of HMAC-SHA1 with the account's token over the whole address that was configured,
 * followed by every field's name and value, the names sorted.
 */
export function signForm(authToken: string, url: string, fields: Readonly<Record<string, string>>): string {
  const names = Object.keys(fields).sort();
  const text = names.reduce((signed, name) => `${signed}${name}${fields[name]}`, url);
  return createHmac('sha1', authToken).update(text, 'utf8').digest('base64');
}

/** Area A's `X-Hub-Signature-256`: `sha256=` and the hex of HMAC-SHA256 with the app's secret over the body's bytes. */
export function signBytes(appSecret: string, body: string): string {
  return `sha256=${createHmac('sha256', appSecret).update(body, 'utf8').digest('hex')}`;
}

/** JSON as area A sends it: whatever is not ASCII is escaped as `\uXXXX`, before it is signed. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
