import { createHash } from 'node:crypto';

/** The names of the cookie: over https one that browsers take from the host itself alone. */
export interface SessionCookies {
  readonly plain: string;
  readonly safe: string;
}

/** Cookies know no ports: what tells one server of a host from another, in `instance`, keeps their logins apart. */
export function sessionCookies(instance: string): SessionCookies {
  const plain = `pacekeeper_${createHash('sha256').update(instance).digest('hex').slice(0, 8)}`;
  return { plain, safe: `__Host-${plain}` };
}

/** All values of the cookies of these names, of which a browser may send several, in the order in which they came. */
export function cookieValues(header: string, names: readonly string[]): string[] {
  return header.split(';').flatMap((part) => {
    const at = part.indexOf('=');
    return at !== -1 && names.includes(part.slice(0, at).trim()) ? [part.slice(at + 1).trim()] : [];
  });
}
