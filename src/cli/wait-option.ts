import { InvalidArgumentError } from 'commander';
import { optionOf, type Taken } from './takes.ts';

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };
const LONGEST_MS = 24 * 3_600_000;

/** Taken by a command that may have to wait for who holds the data folder; milliseconds. */
export const WAIT = {
  wait: optionOf('<duration>', 'how long to wait for who uses the data folder: 30s, 30m or 2h', readWait),
};

export type WaitOptions = Taken<typeof WAIT>;

function readWait(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,6})([smh])$/.exec(text.trim()) ?? [];
  const waitMs = Number(number) * (UNITS_MS[unit] ?? 0);
  if (waitMs > 0 && waitMs <= LONGEST_MS) return waitMs;
  throw new InvalidArgumentError('Expected seconds, minutes or hours such as 30s, 30m or 2h, 24 hours at most.');
}
