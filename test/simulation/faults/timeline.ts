/** What is to happen at an instant, to a process or to nobody in particular. */
interface Waiting {
  readonly atMs: number;
  readonly order: number;
  readonly owner: Owner | undefined;
  readonly act: () => void;
}

/** Whoever waits: what is due to a process that has ended never happens. */
export interface Owner {
  readonly dead: boolean;
  /** Called when something is due. Returns when it can go on. */
  wakes(nowMs: number): number;
}

const turn = () => new Promise<void>((over) => setImmediate(over));

/** Something goes on at the next turn, or other threads are asked for files: their answers come when they come. */
const isBusy = () => process.getActiveResourcesInfo().some((name) => /^(Immediate|FSReq|CloseReq)/.test(name));

/**
 * The time that everybody in a simulation lives in. It stands still while anything can go on, and jumps to the next instant at which
 * something is due when nothing can. One thing at a time: between two of them whoever was woken has gone as far as it can.
 */
export class Timeline {
  #nowMs: number;
  #ordered = 0;
  readonly #startMs: number;
  readonly #queue: Waiting[] = [];
  /** Whose code is running; nobody's between two instants. */
  current: Owner | undefined;
  /** Settles when a server beside has answered, if somebody waits for it. */
  waiting: () => Promise<void> | undefined = () => undefined;

  constructor(startMs: number) {
    this.#nowMs = startMs;
    this.#startMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  elapsedMs(): number {
    return this.#nowMs - this.#startMs;
  }

  /** Calls it so much later. Answers with what makes it never happen. */
  after(milliseconds: number, owner: Owner | undefined, act: () => void): () => void {
    const waiting = { atMs: this.#nowMs + Math.max(0, milliseconds), order: this.#ordered++, owner, act };
    this.#insert(waiting);
    return () => {
      const index = this.#queue.findIndex(({ order }) => order === waiting.order);
      if (index >= 0) this.#queue.splice(index, 1);
    };
  }

  #insert(waiting: Waiting): void {
    const place = this.#queue.findIndex(({ atMs }) => atMs > waiting.atMs);
    if (place < 0) this.#queue.push(waiting);
    else this.#queue.splice(place, 0, waiting);
  }

  /** Lets time pass until it is so. Throws when nothing is due any more and it is not. */
  async runUntil(isSo: () => boolean, latestMs = Number.POSITIVE_INFINITY): Promise<void> {
    for (;;) {
      await this.#untilQuiet();
      this.current = undefined;
      if (isSo()) return;
      const next = this.#queue[0];
      if (next === undefined) throw new Error('Nothing is due any more, and somebody still waits.');
      if (next.atMs > latestMs) throw new Error(`Somebody still waits at ${new Date(latestMs).toISOString()}.`);
      this.#queue.shift();
      if (next.owner?.dead) continue;
      const wakesMs = next.owner?.wakes(next.atMs) ?? next.atMs;
      if (wakesMs > next.atMs) {
        this.#insert({ ...next, atMs: wakesMs });
        continue;
      }
      this.#nowMs = next.atMs;
      this.current = next.owner;
      next.act();
    }
  }

  /** Until everything that runs here waits for something that is due later. */
  async #untilQuiet(): Promise<void> {
    for (let calm = 0; calm < 2; ) {
      await turn();
      const answer = this.waiting();
      await answer;
      calm = answer !== undefined || isBusy() ? 0 : calm + 1;
    }
  }

  /** Lets so much time pass, with everything that is due meanwhile. */
  async pass(milliseconds: number): Promise<void> {
    let over = false;
    this.after(milliseconds, undefined, () => {
      over = true;
    });
    await this.runUntil(() => over);
  }

  /** Begins something for somebody now; it goes as far as it can in the next {@link runUntil}. */
  begin(owner: Owner, act: () => void, afterMs = 0): void {
    this.after(afterMs, owner, act);
  }
}
