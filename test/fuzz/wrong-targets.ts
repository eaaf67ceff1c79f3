import { claim, type Target } from './target.ts';
import { threadMs } from './thread-time.ts';

const seeds = () => ['abc'];

/** Programs that are wrong on purpose: a fuzzer that finds nothing in these finds nothing anywhere. */
export const WRONG_TARGETS: readonly Target[] = [
  {
    name: 'wrong-claim',
    tokens: ['key', 'word'],
    seeds,
    judge: (input) => claim(!/key.*word/s.test(input.toString('latin1')), () => 'A claim that does not hold'),
  },
  {
    name: 'wrong-end',
    tokens: ['loop'],
    seeds,
    judge(input) {
      while (input.includes('loop'));
    },
  },
  {
    name: 'wrong-pace',
    tokens: ['slow'],
    seeds,
    judge(input) {
      const untilMs = threadMs() + 2_200;
      while (input.includes('slow') && threadMs() < untilMs);
    },
  },
  {
    name: 'wrong-wait',
    tokens: ['wait'],
    seeds,
    judge: (input) => (input.includes('wait') ? new Promise<void>(() => undefined) : undefined),
  },
  {
    name: 'wrong-memory',
    tokens: ['more'],
    seeds,
    judge(input) {
      const all: unknown[] = [];
      while (input.includes('more')) all.push(new Array(1_000).fill(all.length));
    },
  },
  {
    name: 'wrong-prototype',
    tokens: ['shared'],
    seeds,
    judge(input) {
      if (input.includes('shared')) (Object.prototype as Record<string, unknown>).shared = true;
    },
  },
];
