import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { AreasApp } from '../app.ts';
import { InputError } from '../domain/errors.ts';

/** The advertising interface. Throws `InputError` where it is not configured; `without` says what cannot be done then. */
export function requireAds({ ads }: Pick<AreasApp, 'ads'>, without: string): AdsConnection {
  if (ads) return ads;
  throw new InputError(`The advertising interface is not configured, so ${without}.`, {
    nextStep: 'Set ADS_URL and its credentials; docs/configuration.md lists them.',
  });
}
