import type { OpenChannel, Picture } from '../channels/channel.ts';
import { ApiError } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import { outsideName } from '../domain/outside-text.ts';
import type { Clock, Log } from '../domain/ports.ts';
import type { Redact } from '../services/http/redact.ts';
import { signPath } from '../services/http/signed-path.ts';

type Pictures = NonNullable<OpenChannel['pictures']>;

export interface PictureDeps {
  /** The public address of `pacekeeper serve`, without a trailing slash. */
  readonly publicUrl: string;
  /** Signs picture addresses. `pacekeeper serve` has the same key. */
  readonly key: string;
  readonly pathOf: (customer: CustomerId) => string;
  readonly clock: Clock;
  readonly redact: Redact;
  readonly log: Log;
}

/** `account` is its name. Undefined if the picture cannot be sent now. */
export type PictureAt = (
  customer: CustomerId,
  account: string | undefined,
  pictures: Pictures,
) => Promise<Picture | undefined>;

/** Checks each address first, so that no message contains an address without a picture. */
export function openPictures({ publicUrl, key, pathOf, clock, redact, log }: PictureDeps): PictureAt {
  const down = new Set<Pictures>();
  return async (customer, account, pictures) => {
    if (down.has(pictures)) return undefined;
    const path = signPath(pathOf(customer), key, clock.now());
    // A service may repeat the address in its refusal.
    redact.learn(path.slice(path.lastIndexOf('=') + 1), 'picture');
    const url = publicUrl + path;
    try {
      const media = await pictures.check(url);
      if (media.kind === 'attached') return { url, png: media.png, words: wordsOf(account ?? customer) };
      log.warn(`An alert goes out without its picture: ${media.because}`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      log.warn(`An alert goes out without its picture: ${error.message}`);
      if (error.transient || error.status === 'MEDIA_REFUSED') down.add(pictures);
    }
    return undefined;
  };
}

function wordsOf(account: string): string {
  return `The month of ${outsideName(account)} so far: its spend, and the limit of today’s budgets`;
}
