import { isPossiblePhoneNumber } from 'libphonenumber-js';

/** Whether a text is a phone number in international form, `+` and digits, of a length its country has. */
export function isPhoneNumber(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text) && isPossiblePhoneNumber(text);
}

/** Whether a text is `<channel>:+<number>` with the number in international form (requirement C2). */
export function isMessagingAddress(text: string): boolean {
  const [, number] = /^[a-z][a-z0-9]*:(\+\d+)$/.exec(text) ?? [];
  return number !== undefined && isPhoneNumber(number);
}

/** `whatsapp:+4915…`, `+4915…` and `4915…` are all `+4915…`; anything else is undefined. No country is asked for. */
export function numberOf(address: string): string | undefined {
  const [, digits] = /^(?:(?:[a-z][a-z0-9]*:)?\+)?(\d+)$/.exec(address) ?? [];
  return digits && `+${digits}`;
}
