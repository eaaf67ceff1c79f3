/** What people put between the digits of a number. */
const SPACE = '[\\s\\u00a0().-]{0,2}';

/** A number in international form, `+` or its URL encoding in front, whoever's it is and however it is spaced. */
const ANY_NUMBER = new RegExp(
  `(\\+|%2B|\\\\u002b)([1-9])${SPACE}(\\d)(?:${SPACE}\\d){3,11}${SPACE}(\\d)${SPACE}(\\d)(?!\\d)`,
  'gi',
);

/** Digits alone that may be a number in international form; as long as a code of an error none is. */
const BARE_NUMBER = /(?<!\w)\d{10,15}(?!\w)/g;

/**
 * The text with telephone numbers cut to what tells two of them apart, `+49…67`. The numbers of `addresses` are found
 * without a plus, too, with the separators that people write, and however a plus is encoded: a service may repeat what it
 * was sent in a form of its own.
 */
export function maskNumbers(text: string, addresses: readonly string[]): string {
  const masked = addresses.reduce((before, address) => {
    const digits = address.replace(/\D/g, '');
    if (digits.length < 5) return before;
    const spelled = new RegExp(`(?<!\\d)(?:00)?${[...digits].join('(?:[\\s\\u00a0().-]|%20){0,2}')}(?!\\d)`, 'g');
    return before.replace(spelled, cut(digits));
  }, text);
  return masked.replace(ANY_NUMBER, '$1$2$3…$4$5');
}

/**
 * As {@link maskNumbers}, for a service that writes numbers as digits alone: any run of 10 to 15 digits is taken for one, unless
 * `isKnown` says that it is something else.
 */
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
