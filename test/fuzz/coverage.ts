/** How often each place of the program was passed, modulo 256; made by the build (see instrument.ts). */
declare global {
  var passed: Uint8Array | undefined;
}

/** A place passed once, a few times or often are three things: a loop that goes on for longer is news. */
const STEPS: readonly number[] = [1, 2, 4, 16];

const classOf = Uint8Array.from({ length: 256 }, (_, times) => STEPS.filter((step) => times >= step).length);

/** What of the program has been reached so far. */
export class Coverage {
  readonly #counts: Uint8Array;
  readonly #seen: Uint8Array;

  constructor(counts: Uint8Array = globalThis.passed ?? new Uint8Array(0)) {
    this.#counts = counts;
    this.#seen = new Uint8Array(counts.length);
  }

  begin(): void {
    this.#counts.fill(0);
  }

  /** How many places were passed since {@link begin} that never were, or never so often. */
  news(): number {
    let fresh = 0;
    const counts = this.#counts;
    for (let place = 0; place < counts.length; place += 1) {
      const count = counts[place] as number;
      if (count === 0) continue;
      const step = classOf[count] as number;
      if (step <= (this.#seen[place] as number)) continue;
      this.#seen[place] = step;
      fresh += 1;
    }
    return fresh;
  }

  /** Places passed at least once so far. */
  get places(): number {
    return this.#seen.reduce((sum, step) => sum + (step > 0 ? 1 : 0), 0);
  }
}
