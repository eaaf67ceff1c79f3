import { isOnThisMachine } from '../../../domain/connection-settings.ts';
import { InputError } from '../../../domain/errors.ts';

/** The address of a database, without user and password. Errors name the setting that has it. */
export function databaseAddress(url: string, setting = 'store.url'): string {
  const { host, pathname } = parsed(url, setting);
  return `postgres://${host}${pathname}`;
}

function parsed(url: string, setting: string): URL {
  const found = URL.parse(url);
  const isDatabase =
    found !== null && ['postgres:', 'postgresql:'].includes(found.protocol) && found.pathname.length > 1;
  if (isDatabase && !isOnThisMachine(found) && !found.searchParams.has('sslmode')) {
    throw new InputError(`${setting} does not say how to reach ${found.host}: expected sslmode.`, {
      nextStep: `Add ?sslmode=verify-full to ${setting}, or ?sslmode=disable in a network that you trust.`,
    });
  }
  if (isDatabase) return found;
  // The message must not repeat the address, because it contains a password.
  throw new InputError(`Invalid ${setting}: expected postgres://USER:PASSWORD@HOST:PORT/DATABASE.`, {
    nextStep: `Correct ${setting}. Escape special characters of the password, such as %40 for @.`,
  });
}
