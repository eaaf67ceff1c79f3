import { distance } from 'fastest-levenshtein';

export type FaultOption = 'bytes' | 'piece' | 'pause' | 'wait' | 'after' | 'seconds';

export const FAULT_TAKES = {
  'reset-before': [],
  'hang-before': [],
  'reset-after': [],
  'hang-after': [],
  cut: ['bytes'],
  'reset-at': ['bytes'],
  stall: ['bytes'],
  truncate: ['bytes'],
  drip: ['piece', 'pause'],
  'length-long': ['bytes'],
  'length-short': ['bytes'],
  'bad-chunk': ['bytes'],
  'gzip-flip': [],
  'gzip-cut': [],
  'gzip-plain': [],
  '401': [],
  'token-expires': ['after', 'seconds'],
  '404': [],
  '411': [],
  '429': ['wait'],
  '429-date': ['wait'],
  'quota-minute': ['wait'],
  quota: [],
  '500': [],
  '502': [],
  '503': [],
  '504': [],
  html: [],
  'error-element': [],
  empty: [],
  'other-answer': [],
  'template-withdrawn': [],
  'other-account': [],
} as const satisfies Readonly<Record<string, readonly FaultOption[]>>;

export type FaultName = keyof typeof FAULT_TAKES;

export const FAULT_PLACE_NAMES = [
  'any',
  'stream',
  'search',
  'list',
  'fields',
  'validate',
  'mutate',
  'token',
  'message',
  'lookup',
] as const;

export type FaultPlace = (typeof FAULT_PLACE_NAMES)[number];

const EVERYWHERE = ['nth', 'every'] as const;
type Numbered = FaultOption | (typeof EVERYWHERE)[number];

export type FaultTextReading =
  | {
      readonly kind: 'ok';
      readonly name: FaultName;
      readonly place: FaultPlace | undefined;
      readonly numbers: { readonly [Option in Numbered]?: number };
    }
  | { readonly kind: 'wrong'; readonly found: string; readonly expected: string };

const SUGGESTED = 5;
/** Small enough for a timer in milliseconds and for a date in seconds. */
const MOST = 999_999_999;

/** Reads text such as `cut,at=stream,bytes=5000`. */
export function readFaultText(text: string): FaultTextReading {
  const [written = '', ...options] = text.split(',').map((part) => part.trim());
  const names = Object.keys(FAULT_TAKES) as FaultName[];
  const name = names.find((candidate) => candidate === written);
  if (name === undefined) {
    const near = names.toSorted((one, other) => distance(one, written) - distance(other, written));
    return wrong(`"${written}"`, `one of ${near.slice(0, SUGGESTED).join(', ')} or another fault from docs/sandbox.md`);
  }
  const known: readonly Numbered[] = [...EVERYWHERE, ...FAULT_TAKES[name]];
  const numbers: { [Option in Numbered]?: number } = {};
  let place: FaultPlace | undefined;
  for (const option of options) {
    const [key = '', value = ''] = option.split('=', 2);
    const number = known.find((candidate) => candidate === key);
    if (key === 'at' ? place !== undefined : number !== undefined && numbers[number] !== undefined) {
      return wrong(`"${key}" twice`, `one "${key}" per fault; write several faults as separate entries`);
    }
    if (key === 'at') {
      place = FAULT_PLACE_NAMES.find((candidate) => candidate === value);
      if (place === undefined) return wrong(`at=${value}`, `at=${FAULT_PLACE_NAMES.join('|')}`);
      continue;
    }
    if (number === undefined)
      return wrong(`"${option}"`, `one of ${['at', ...known].join(', ')}, each with = and a value`);
    if (!/^\d+$/.test(value)) return wrong(`${key}="${value}"`, `a whole number after ${key}=`);
    const least = number === 'nth' || number === 'every' || number === 'piece' ? 1 : 0;
    if (Number(value) < least) return wrong(`${key}=${value}`, `${key} to be at least ${least}`);
    if (Number(value) > MOST) return wrong(`${key}=${value}`, `${key} to be at most ${MOST}`);
    numbers[number] = Number(value);
  }
  if (numbers.nth !== undefined && numbers.every !== undefined)
    return wrong('nth and every', 'only one of nth and every');
  return { kind: 'ok', name, place, numbers };
}

function wrong(found: string, expected: string): FaultTextReading {
  return { kind: 'wrong', found, expected };
}
