import type { Channel } from '../domain/channel.ts';

/**
 * How a phone takes what it is sent.
 * - `reachable`: sent, then delivered, and both are reported
 * - `opted_out`: refused at once; nothing is kept
 * - `undelivered`: taken, and reported as failed afterwards
 * - `silent`: taken and sent; whether it arrives is never reported
 * - `throttled`: refused at once for the rate; a later attempt is refused as well
 */
export type PhoneBehaviour = 'reachable' | 'opted_out' | 'undelivered' | 'silent' | 'throttled';

/** What every status but the first is reported as, in order; the last one stays. */
export interface Fate {
  readonly statuses: readonly string[];
  /** Of the last status, when that is a failure. */
  readonly errorCode: number | undefined;
}

const BY_LAST_DIGIT = new Map<string, PhoneBehaviour>([
  ['1', 'opted_out'],
  ['2', 'undelivered'],
  ['3', 'silent'],
  ['4', 'throttled'],
]);
const CHANNELS_BY_TENS = new Map<string, readonly Channel[]>([
  ['1', ['messages']],
  ['2', ['graph']],
  ['3', ['messages', 'graph']],
]);

/**
 * Numbers `+155501000XY` behave in a way of their own: X says on which channel (1 area C, 2 area A, 3 both), Y how (1 opted
 * out, 2 undelivered, 3 silent, 4 throttled). Every other number is reachable.
 */
function specialBehaviour(channel: Channel, number: string): PhoneBehaviour | undefined {
  const [, tens = '', last = ''] = /^\+155501000(\d)(\d)$/.exec(number) ?? [];
  return CHANNELS_BY_TENS.get(tens)?.includes(channel) ? BY_LAST_DIGIT.get(last) : undefined;
}

export function digitsOf(address: string): string {
  return address.replace(/\D/g, '');
}

export type Phones = ReturnType<typeof createPhones>;

export function createPhones() {
  const told = new Map<string, PhoneBehaviour>();
  const key = (channel: Channel, number: string) => `${channel} ${number}`;
  return {
    /** `address` as either area writes it. */
    behaviour(channel: Channel, address: string): PhoneBehaviour {
      const number = `+${digitsOf(address)}`;
      return told.get(key(channel, number)) ?? specialBehaviour(channel, number) ?? 'reachable';
    },
    /** From now on, until the sandbox ends; on both channels unless one is named. */
    set(number: string, behaviour: PhoneBehaviour, channel?: Channel): void {
      for (const one of channel === undefined ? (['messages', 'graph'] as const) : [channel]) {
        told.set(key(one, `+${digitsOf(number)}`), behaviour);
      }
    },
  };
}

/** Outside the window in which free text may be sent, in the words of either area. */
const WINDOW_CLOSED = { messages: 63016, graph: 131047 } as const;

export function fateOf(channel: Channel, behaviour: PhoneBehaviour): Fate {
  if (behaviour === 'silent') return { statuses: ['sent'], errorCode: undefined };
  if (behaviour !== 'undelivered') return { statuses: ['sent', 'delivered'], errorCode: undefined };
  const statuses = channel === 'messages' ? ['sent', 'undelivered'] : ['failed'];
  return { statuses, errorCode: WINDOW_CLOSED[channel] };
}
