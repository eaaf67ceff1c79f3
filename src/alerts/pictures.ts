import type { OpenChannel } from '../channels/channel.ts';
import { ApiError } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { Clock, Log } from '../domain/ports.ts';
import { signPath } from '../services/http/signed-path.ts';

type Pictures = NonNullable<OpenChannel['pictures']>;

export interface PictureDeps {
  readonly check: Pictures['check'];
  /** The public address of `pacekeeper serve`, without a trailing slash. */
  readonly publicUrl: string;
  /** Signs picture addresses. `pacekeeper serve` has the same key. */
  readonly key: string;
  readonly pathOf: (customer: CustomerId) => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Returns the address of the picture. Undefined if the picture cannot be sent now. */
export type PictureAt = (customer: CustomerId) => Promise<string | undefined>;

/** Checks each address first, so that no message contains an address without a picture. */
export function openPictures({ check, publicUrl, key, pathOf, clock, log }: PictureDeps): PictureAt {
  let isDown = false;
  return async (customer) => {
    if (isDown) return undefined;
    const url = publicUrl + signPath(pathOf(customer), key, clock.now());
    try {
      const media = await check(url);
      if (media.kind === 'attached') return url;
      log.warn(`An alert goes out without its picture: ${media.because}`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      log.warn(`An alert goes out without its picture: ${error.message}`);
      isDown = error.transient || error.status === 'MEDIA_REFUSED';
    }
    return undefined;
  };
}
