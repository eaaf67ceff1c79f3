import { aheadMs } from '../../domain/clock-difference.ts';
import type { Clock } from '../../domain/ports.ts';
import type { HttpAnswer } from '../http/http-client.ts';

interface ReadTime {
  readonly ownMs: number;
  readonly otherMs: number;
  /** How far this clock is ahead at least. Negative: behind. */
  readonly aheadMs: number;
}

/** Compares the clock with the `Date` of each answer. Stays with the largest difference. */
export class ServiceTime {
  readonly #clock: Clock;
  #found: ReadTime | undefined;
  #isAnswered = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  /** Ignores the time of an answer from a cache, which has an `Age`. */
  hear({ headers }: Pick<HttpAnswer, 'headers'>, askedMs: number): void {
    this.#isAnswered = true;
    const otherMs = headers.age === undefined ? Date.parse(headers.date ?? '') : Number.NaN;
    if (Number.isNaN(otherMs)) return;
    const ownMs = this.now();
    const found = { ownMs, otherMs, aheadMs: aheadMs(askedMs, ownMs, otherMs) };
    if (Math.abs(found.aheadMs) >= Math.abs(this.#found?.aheadMs ?? 0)) this.#found = found;
  }

  get found(): ReadTime | undefined {
    return this.#found;
  }

  /** True if the service answered, but no answer had a time. */
  get isSilent(): boolean {
    return this.#isAnswered && this.#found === undefined;
  }
}
