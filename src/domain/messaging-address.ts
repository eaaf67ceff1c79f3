import { isPossiblePhoneNumber } from 'libphonenumber-js';

export function isPhoneNumber(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text) && isPossiblePhoneNumber(text);
}

/** The form is `<channel>:+<number>` (requirement C2). */
export function isMessagingAddress(text: string): boolean {
  const [, number] = /^[a-z][a-z0-9]*:(\+\d+)$/.exec(text) ?? [];
  return number !== undefined && isPhoneNumber(number);
}

/** Returns `whatsapp` for `whatsapp:+4915…`. */
export function channelOfAddress(address: string): string {
  return address.slice(0, address.indexOf(':'));
}

/** Returns `+4915…` for `whatsapp:+4915…`, `+4915…` and `4915…`. Undefined for other texts. */
export function numberOf(address: string): string | undefined {
  const [, digits] = /^(?:(?:[a-z][a-z0-9]*:)?\+)?(\d+)$/.exec(address) ?? [];
  return digits && `+${digits}`;
}
