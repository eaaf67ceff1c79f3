import type { Channel } from '../domain/channel.ts';

/** One thing that a provider told us, before anybody has acted on it. */
export interface ArrivedEvent {
  readonly channel: Channel;
  /** A person's message; what became of a message of ours; whatever else was said, kept whole (requirement A11). */
  readonly kind: 'message' | 'status' | 'other';
  /** The same for every delivery of the same thing: the message's id, with its status where it tells one. */
  readonly dedupeKey: string;
  /** The message's id at the provider. */
  readonly providerId: string | undefined;
  /** As the channel writes addresses: area A digits, area C `<channel>:+<number>`. */
  readonly sender: string | undefined;
  /** The provider's word: `sent`, `delivered`, `read`, `failed`. */
  readonly status: string | undefined;
  readonly text: string | undefined;
  /** What was told, with what stood around it; JSON. */
  readonly payload: string;
}

/** One that nobody has acted on yet. */
export interface WaitingEvent extends ArrivedEvent {
  readonly id: bigint;
  /** Instant, UTC, whole seconds. */
  readonly receivedAt: string;
}
