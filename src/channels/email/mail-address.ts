const LENGTH_MAX = 254;

/** Only plain addresses of ASCII letters. So no address can begin a header line of its own, or name a second recipient. */
const ADDRESS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~][A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{0,63}@[A-Za-z0-9][A-Za-z0-9.-]*$/;

export function isMailAddress(text: string): boolean {
  return text.length <= LENGTH_MAX && ADDRESS.test(text) && !text.includes('..') && !/[.-]$/.test(text);
}

/** Returns text such as `a…@example.com`. */
export function maskMailAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return at < 1 ? '(hidden)' : `${address.charAt(0)}…${address.slice(at)}`;
}
