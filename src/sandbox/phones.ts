/** The simulated services through which a phone gets messages. */
export const PHONE_CHANNELS = ['messages', 'graph'] as const;
export type PhoneChannel = (typeof PHONE_CHANNELS)[number];
/** Messages to `opted_out` and `throttled` phones are refused. Delivery to `silent` phones is never reported. */
export type PhoneBehaviour = 'reachable' | 'opted_out' | 'undelivered' | 'silent' | 'throttled';

export interface Fate {
  readonly statuses: readonly string[];
  readonly errorCode: number | undefined;
}

const BY_LAST_DIGIT = new Map<string, PhoneBehaviour>([
  ['1', 'opted_out'],
  ['2', 'undelivered'],
  ['3', 'silent'],
  ['4', 'throttled'],
]);
const CHANNELS_BY_TENS = new Map<string, readonly PhoneChannel[]>([
  ['1', ['messages']],
  ['2', ['graph']],
  ['3', ['messages', 'graph']],
]);

/** In the number `+155501000XY`, X selects the channels and Y the behaviour. */
function specialBehaviour(channel: PhoneChannel, number: string): PhoneBehaviour | undefined {
  const [, tens = '', last = ''] = /^\+155501000(\d)(\d)$/.exec(number) ?? [];
  return CHANNELS_BY_TENS.get(tens)?.includes(channel) ? BY_LAST_DIGIT.get(last) : undefined;
}

export function digitsOf(address: string): string {
  return address.replace(/\D/g, '');
}

export type Phones = ReturnType<typeof createPhones>;

/** For so long after a phone wrote, it gets free text. */
const WINDOW_MS = 24 * 60 * 60_000;

export function createPhones(lastWroteMs: (channel: PhoneChannel, number: string) => number) {
  const told = new Map<string, PhoneBehaviour>();
  const key = (channel: PhoneChannel, number: string) => `${channel} ${number}`;
  return {
    behaviour(channel: PhoneChannel, address: string): PhoneBehaviour {
      const number = `+${digitsOf(address)}`;
      return told.get(key(channel, number)) ?? specialBehaviour(channel, number) ?? 'reachable';
    },
    getsText: (channel: PhoneChannel, address: string, nowMs: number) =>
      nowMs - lastWroteMs(channel, digitsOf(address)) < WINDOW_MS,
    /** Without `channel`, sets the behaviour for both channels. */
    set(number: string, behaviour: PhoneBehaviour, channel?: PhoneChannel): void {
      for (const one of channel === undefined ? (['messages', 'graph'] as const) : [channel]) {
        told.set(key(one, `+${digitsOf(number)}`), behaviour);
      }
    },
  };
}

const UNREACHABLE = { messages: 63024, graph: 131026 } as const;

export function fateOf(channel: PhoneChannel, behaviour: PhoneBehaviour): Fate {
  if (behaviour === 'silent') return { statuses: ['sent'], errorCode: undefined };
  if (behaviour !== 'undelivered') return { statuses: ['sent', 'delivered'], errorCode: undefined };
  return notDelivered(channel, UNREACHABLE[channel]);
}

export function notDelivered(channel: PhoneChannel, errorCode: number): Fate {
  return { statuses: channel === 'messages' ? ['sent', 'undelivered'] : ['failed'], errorCode };
}
