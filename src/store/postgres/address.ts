import { InputError } from '../../domain/errors.ts';
import { isOnThisMachine } from '../../domain/this-machine.ts';

/** The address of a database, without user and password. */
export function addressOf(url: string): string {
  const { host, pathname } = parsed(url);
  return `postgres://${host}${pathname}`;
}

function parsed(url: string): URL {
  const found = URL.parse(url);
  const isDatabase =
    found !== null && ['postgres:', 'postgresql:'].includes(found.protocol) && found.pathname.length > 1;
  if (isDatabase && !isOnThisMachine(found) && !found.searchParams.has('sslmode')) {
    throw new InputError(`store.url does not say how to reach ${found.host}: expected sslmode.`, {
      nextStep: 'Add ?sslmode=verify-full to store.url, or ?sslmode=disable in a network that you trust.',
    });
  }
  if (isDatabase) return found;
  // The message must not repeat the address, because it contains a password.
  throw new InputError('Invalid store.url: expected postgres://USER:PASSWORD@HOST:PORT/DATABASE.', {
    nextStep:
      'Correct store.url or PACEKEEPER_STORE_URL. Escape special characters of the password, such as %40 for @.',
  });
}
