import type { Random } from './random.ts';

/** Inputs stay below this but for one that repeats a stretch. */
const BYTES_MAX = 8 * 1024;
const REPEATED_BYTES_MAX = 128 * 1024;

/** Spaces, ends of lines, marks that nobody sees, halves of characters, quotes. */
const AWKWARD_CHARACTERS = [
  ...'\0 " \' \\'.split(' '),
  '\ufeff',
  '\r\n',
  '\r',
  '\n',
  '\t',
  ' ',
  '\u00a0',
  '\u2028',
  '\u200b',
  '\u001b[31m',
  '\u0085',
  '\u202e',
  '\ud83d',
  '\udc00',
  '\u0301',
];
const AWKWARD_WORDS = `
  é 日本 😀 İ ß ſ “ ’ １ \` \${ {{ }} < > & % %00 .. / ../ # -- /* */ ;
  __proto__ constructor prototype toString hasOwnProperty null undefined true NaN 0 -0 -1 1 00 1e309 -1e-400
  0x10 2147483647 2147483648 -2147483649 1e6 .5 9007199254740991 9007199254740993 9223372036854775807
  9223372036854775808 18446744073709551616 1970-01-01 2026-02-29 2026-02-30 9999-12-31 0000-01-01 2026-11-22
`;
const AWKWARD = [...AWKWARD_CHARACTERS, ...AWKWARD_WORDS.trim().split(/\s+/)];

type Change = (input: Buffer, random: Random, around: Around) => Buffer;

/** What an input may take from elsewhere. */
export interface Around {
  readonly tokens: readonly string[];
  /** Another input of the corpus. */
  other(): Buffer;
}

const put = (input: Buffer, from: number, to: number, piece: Uint8Array): Buffer =>
  Buffer.concat([input.subarray(0, from), piece, input.subarray(to)]);

function stretch({ length }: Buffer, random: Random, longest = length): [from: number, to: number] {
  const from = random.below(length + 1);
  return [from, Math.min(length, from + 1 + random.below(Math.max(1, Math.min(longest, length))))];
}

const CHANGES: readonly Change[] = [
  function flipBit(input, random) {
    const at = random.below(input.length);
    return put(input, at, at + 1, Buffer.of((input[at] ?? 0) ^ (1 << random.below(8))));
  },
  function otherByte(input, random) {
    const at = random.below(input.length);
    return put(input, at, at + random.below(2), Buffer.of(random.below(256)));
  },
  function otherCase(input, random) {
    const [from, to] = stretch(input, random, 12);
    const text = input.subarray(from, to).toString('latin1');
    return put(input, from, to, Buffer.from(random.oneIn(2) ? text.toUpperCase() : text.toLowerCase(), 'latin1'));
  },
  function leaveOut(input, random) {
    return put(input, ...stretch(input, random, random.oneIn(4) ? input.length : 16), Buffer.alloc(0));
  },
  function cutOff(input, random) {
    return input.subarray(0, random.below(input.length + 1));
  },
  function sayTwice(input, random) {
    const [from, to] = stretch(input, random, 64);
    return put(input, to, to, input.subarray(from, to));
  },
  function moveAway(input, random) {
    const [from, to] = stretch(input, random, 64);
    const at = random.below(input.length + 1);
    return put(input, at, at, input.subarray(from, to));
  },
  function putAwkward(input, random) {
    const at = random.below(input.length + 1);
    return put(input, at, at + (random.oneIn(2) ? 0 : random.below(8)), Buffer.from(random.pick(AWKWARD)));
  },
  putToken,
  putToken,
  function replaceNumber(input, random) {
    const text = input.toString('latin1');
    const numbers = [...text.matchAll(/\d+/g)];
    if (numbers.length === 0) return input;
    const { index, 0: found } = random.pick(numbers);
    const wanted = random.oneIn(2) ? random.pick(AWKWARD) : String(Number(found) + random.pick([-1, 1, 1000]));
    return put(input, index, index + found.length, Buffer.from(wanted));
  },
  function takeFromOther(input, random, { other }) {
    const theirs = other();
    return put(input, ...stretch(input, random), theirs.subarray(...stretch(theirs, random)));
  },
];

function putToken(input: Buffer, random: Random, { tokens }: Around): Buffer {
  if (tokens.length === 0) return input;
  const at = random.below(input.length + 1);
  const gap = random.oneIn(2) ? ' ' : '';
  const piece = Buffer.from(`${gap}${random.pick(tokens)}${gap}`);
  return put(input, at, at + (random.oneIn(2) ? 0 : random.below(12)), piece);
}

/** Many times the same: what grows with the square of the length, or with its depth, shows here. */
function repeat(input: Buffer, random: Random): Buffer {
  const [from, to] = stretch(input, random, 8);
  if (from === to) return input;
  const times = Math.min(Math.floor(REPEATED_BYTES_MAX / (to - from)), 2 ** (3 + random.below(14)));
  return put(input, from, to, Buffer.concat(Array(times).fill(input.subarray(from, to))));
}

/** A neighbour of the input: one change, or several on top of each other. */
export function mutate(input: Buffer, random: Random, around: Around): Buffer {
  let changed = input.length === 0 ? Buffer.from(random.pick(AWKWARD)) : input;
  for (let times = 1 + (random.oneIn(2) ? random.below(6) : 0); times > 0; times -= 1) {
    changed = random.pick(CHANGES)(changed, random, around);
  }
  const bounded = changed.subarray(0, BYTES_MAX);
  return random.oneIn(60) ? repeat(bounded, random) : bounded;
}
