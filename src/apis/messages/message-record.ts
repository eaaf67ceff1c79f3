import * as z from 'zod';

/** A message as the interface has it. */
export interface FoundMessage {
  readonly providerId: string;
  /** The provider's word: queued, sending, sent, delivered, undelivered, failed, read, …; undefined for what is no word. */
  readonly status: string | undefined;
  /** Why it was not delivered; see {@link explainMessageCode}. */
  readonly errorCode: string | undefined;
}

/** The provider's id of a message. */
export const MESSAGE_ID = /^(SM|MM)[0-9a-f]{32}$/i;

/** What a message's status looks like. */
export const STATUS_WORD = /^[a-z_-]{1,32}$/;

/** One message of a list or alone; more fields come with it. */
export const messageRecord = z.object({
  sid: z.string().regex(MESSAGE_ID),
  status: z.string().transform((word) => (STATUS_WORD.test(word) ? word : undefined)),
  body: z.string().nullish(),
  /** As a mail's date, `Fri, 20 Nov 2026 09:31:00 +0000`. */
  date_created: z.string().nullish(),
  error_code: z
    .union([z.int().nonnegative().max(999_999_999), z.string().regex(/^\d{1,9}$/)])
    .nullish()
    .catch(undefined),
});

export function foundMessage({ sid, status, error_code }: z.infer<typeof messageRecord>): FoundMessage {
  return { providerId: sid, status, errorCode: error_code == null ? undefined : String(error_code) };
}
