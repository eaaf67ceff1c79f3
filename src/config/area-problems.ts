import { isMessagingAddress } from '../domain/messaging-address.ts';

/** A value of the environment by its name; undefined for an empty one. */
export type Env = (name: string) => string | undefined;

export function missing(name: string, present: readonly string[]): string {
  return `${name} is missing, and ${present.join(', ')} ${present.length === 1 ? 'is' : 'are'} set: set all of the area or none.`;
}

export function checkAddress(name: string, text: string, problems: string[]): void {
  if (isMessagingAddress(text)) return;
  problems.push(`${name} is not of the form <channel>:+<number>, such as whatsapp:+4915112345678.`);
}

/** An address without a trailing slash. Secrets travel to it, so it is https unless it is this machine. */
export function checkUrl(name: string, text: string, problems: string[]): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    problems.push(`${name} is not an address such as https://ads.example.com.`);
    return undefined;
  }
  const local = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) {
    problems.push(`${name} must begin with https://; http:// is taken for this machine only.`);
    return undefined;
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    problems.push(`${name} must be an address alone, without a user, a query or a fragment.`);
    return undefined;
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

/** A token as it goes into a header: with a space, a quote or its scheme it would only be refused. */
export function checkToken(name: string, token: string, problems: string[]): void {
  if (/^[^\s"']+$/.test(token)) return;
  problems.push(`${name} holds a value with spaces or quotes, expected an access token.`);
}

/** The version is sent behind the address, so one that ends with it would have it twice. */
export function refuseVersion(name: string, url: string | undefined, version: RegExp, problems: string[]): void {
  const last = url?.slice(url.lastIndexOf('/') + 1) ?? '';
  if (version.test(last)) problems.push(`${name} ends with ${last}, expected the address before the version.`);
}
