const SPACE = '[\\s\\u00a0().-]{0,2}';

/** A phone number with `+`, also if the `+` is encoded for a URL or JSON. */
const ANY_NUMBER = new RegExp(
  `(\\+|%2B|\\\\u002b)([1-9])${SPACE}(\\d)(?:${SPACE}\\d){3,11}${SPACE}(\\d)${SPACE}(\\d)(?!\\d)`,
  'gi',
);

/** Digits without `+` that could be a phone number. Error codes are shorter. */
const BARE_NUMBER = /(?<!\w)\d{10,15}(?!\w)/g;

/** Shortens phone numbers to `+49…67`. Numbers in `addresses` are found in any spelling. */
export function maskNumbers(text: string, addresses: readonly string[]): string {
  const masked = addresses.reduce((before, address) => {
    const digits = address.replace(/\D/g, '');
    if (digits.length < 5) return before;
    const spelled = new RegExp(`(?<!\\d)(?:00)?${[...digits].join('(?:[\\s\\u00a0().-]|%20){0,2}')}(?!\\d)`, 'g');
    return before.replace(spelled, cut(digits));
  }, text);
  return masked.replace(ANY_NUMBER, '$1$2$3…$4$5');
}

/** Also masks 10 to 15 digits without `+`, unless `isKnown` accepts the digits. */
export function maskBareNumbers(
  text: string,
  addresses: readonly string[],
  isKnown: (digits: string) => boolean = () => false,
): string {
  return maskNumbers(text, addresses).replace(BARE_NUMBER, (digits) => (isKnown(digits) ? digits : cut(digits)));
}

function cut(digits: string): string {
  return `${digits.slice(0, 2)}…${digits.slice(-2)}`;
}
