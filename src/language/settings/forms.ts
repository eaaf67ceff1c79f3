import * as z from 'zod';
import { DEFAULT_RETRY, isOnThisMachine, type RetryPolicy } from '../../domain/connection-settings.ts';
import { isMessagingAddress, isPhoneNumber, numberOf } from '../../domain/messaging-address.ts';
import { type Expect, scalar, wholeNumber } from '../yaml/scalars.ts';
import { group, setting } from './declare.ts';

export const queryName = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, 'the name of a query such as keyword_stats');

export const SHORT_NAME = /^[a-z][a-z0-9_-]{0,39}$/;
export const shortName = () => z.string().regex(SHORT_NAME, 'a short name in lower-case letters');

export const SHOWN_ID = /^[\d() -]{1,32}$/;

const ADDRESS = 'an address such as https://ads.example.com';

/** An address must be https, except on this machine, because secrets are sent to the address. */
export const address = scalar(ADDRESS, readAddress);

/** Its query can have keys. */
export const secretAddress = scalar(ADDRESS, (text, expect) => {
  const found = readAddress(text.replace(/\?.*/, ''), expect);
  return found && found + new URL(text).search;
});

/** The address must not end with a version, because pacekeeper appends the version. */
export function addressBefore(version: RegExp) {
  return scalar(ADDRESS, (text, expect) => {
    const url = readAddress(text, expect);
    if (url === undefined || !version.test(url.slice(url.lastIndexOf('/') + 1))) return url;
    return expect('the address without the version');
  });
}

function readAddress(text: string, expect: Expect): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isOnThisMachine(url))) {
    return expect('an address that begins with https://, or with http:// on this machine');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return expect('an address without user, query or fragment');
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

export function textLike(form: RegExp, expected: string) {
  return scalar(expected, (text) => (form.test(text) ? text : undefined));
}

/** Refuses a space or a quote, because the service would refuse the token later. */
export const token = (expected: string) => textLike(/^[^\s"']+$/, `${expected}, without spaces or quotes`);

export const messagingAddress = scalar('<channel>:+<number>, such as whatsapp:+4915112345678', (text) =>
  isMessagingAddress(text) ? text : undefined,
);

export const phoneNumber = scalar('a number in international form, such as +4915112345678', (text) => {
  const number = numberOf(text) ?? '';
  return isPhoneNumber(number) ? number : undefined;
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const waitMs = (from: number) => wholeNumber(from, DAY_MS);

export function retry(meaning: string) {
  const { attempts, firstDelayMs, totalMs } = DEFAULT_RETRY;
  const facts = (text: number) => ({ without: String(text), bothTargets: true }) as const;
  const shape = {
    attempts: setting(wholeNumber(1, 20), meaning, facts(attempts)),
    first_delay_ms: setting(
      waitMs(0),
      'Pause in ms after the first failure; each further pause is twice as long',
      facts(firstDelayMs),
    ),
    total_ms: setting(waitMs(0), 'Retry budget in ms: all attempts and pauses together', facts(totalMs)),
  };
  return group(shape, (found): RetryPolicy => {
    if (Object.values(found).every((value) => value === undefined)) return DEFAULT_RETRY;
    return {
      attempts: found.attempts ?? attempts,
      firstDelayMs: found.firstDelayMs ?? firstDelayMs,
      totalMs: found.totalMs ?? totalMs,
    };
  });
}
