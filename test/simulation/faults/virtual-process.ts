import type { Clock, Pauses } from '../../../src/domain/ports.ts';
import { type FileUser, Killed, type Loss } from './boundaries.ts';
import type { FaultKind, RequestKind } from './services/network-faults.ts';
import type { Timeline } from './timeline.ts';

/** Where a process ends: at the n-th time that it comes there. */
export interface Kill {
  readonly at: string;
  readonly nth: number;
}

/** It stands still at its n-th awakening, and goes on as if nothing had been. */
export interface Hang {
  readonly nth: number;
  readonly forMs: number;
}

/** What goes wrong with the first request of a kind. */
export interface Mishap {
  readonly kind: FaultKind;
  readonly on: RequestKind;
}

/** A process of the program: everything that it does ends with it. */
export class VirtualProcess implements FileUser {
  readonly name: string;
  /** With how many of its requests something goes wrong. */
  readonly trouble: number;
  readonly databases: FileUser['databases'] = new Set();
  /** The places that it has passed, each as often as it has. */
  readonly passed = new Map<string, number>();
  readonly clock: Clock;
  readonly pauses: Pauses;
  readonly trace: (line: string) => void;
  /** Asks it to stop. */
  readonly stop = new AbortController();
  dead = false;
  /** Called after each commit with how many there were. */
  atCommit: ((times: number) => void) | undefined;
  /** What it lost. */
  lost: Loss['what'] | undefined;
  /** Where it was ended. */
  killedAt: string | undefined;
  /** When it was started. */
  readonly beganAtMs: number;
  /** How far its clock is ahead of everybody's; negative where it is behind. */
  readonly aheadMs: number;
  readonly #kill: Kill | undefined;
  readonly #loss: Loss | undefined;
  readonly #hang: Hang | undefined;
  #awakenings = 0;
  #hangsUntilMs = 0;
  #statements = 0;
  #mishap: Mishap | undefined;

  constructor(
    timeline: Timeline,
    about: Pick<VirtualProcess, 'name' | 'trouble'> & {
      readonly kill: Kill | undefined;
      readonly mishap: Mishap | undefined;
      readonly loss: Loss | undefined;
      readonly hang?: Hang | undefined;
      readonly aheadMs?: number;
    },
    trace: (line: string) => void,
  ) {
    this.name = about.name;
    this.beganAtMs = timeline.now();
    this.trouble = about.trouble;
    this.#kill = about.kill;
    this.#loss = about.loss;
    this.#hang = about.hang;
    this.#mishap = about.mishap;
    this.trace = (line) => trace(`${this.name}: ${line}`);
    this.aheadMs = about.aheadMs ?? 0;
    this.clock = { now: () => timeline.now() + this.aheadMs };
    this.pauses = {
      elapsedMs: () => timeline.elapsedMs(),
      pause: (milliseconds, until) =>
        new Promise((over) => {
          if (until?.aborted) return over();
          const end = () => {
            until?.removeEventListener('abort', early);
            over();
          };
          const cancel = timeline.after(milliseconds, this, end);
          const early = () => {
            cancel();
            over();
          };
          until?.addEventListener('abort', early, { once: true });
        }),
    };
  }

  boundary(side: 'before' | 'after', what: 'commit' | 'rename'): void {
    this.passes(`${what}:${side}`);
    if (what === 'commit' && side === 'after') this.atCommit?.(this.passed.get('commit:after') ?? 0);
  }

  wakes(nowMs: number): number {
    if (nowMs < this.#hangsUntilMs) return this.#hangsUntilMs;
    this.#awakenings += 1;
    if (this.#hang?.nth !== this.#awakenings) return nowMs;
    this.#hangsUntilMs = nowMs + this.#hang.forMs;
    this.trace(`hangs for ${this.#hang.forMs / 1000} s`);
    return this.#hangsUntilMs;
  }

  loses(statement: string): Loss['what'] | undefined {
    this.#statements += 1;
    if (this.#loss?.nth !== this.#statements) return undefined;
    const { what } = this.#loss;
    this.trace(`loses ${what} at ${statement.slice(0, 60)}`);
    this.lost = what;
    return what;
  }

  /** What is to go wrong with this request for sure. */
  takeMishap(on: RequestKind): FaultKind | undefined {
    if (this.#mishap?.on !== on) return undefined;
    const { kind } = this.#mishap;
    this.#mishap = undefined;
    return kind;
  }

  networkEvent(what: 'send' | 'arrival' | 'answer'): void {
    if (!this.dead && this.#isHere(`network:${what}`)) this.#end();
  }

  /** Throws where the process is to end. */
  passes(point: string): void {
    if (this.dead) throw new Killed();
    if (!this.#isHere(point)) return;
    this.#end();
    throw new Killed();
  }

  #isHere(point: string): boolean {
    const times = (this.passed.get(point) ?? 0) + 1;
    this.passed.set(point, times);
    if (this.#kill?.at !== point || this.#kill.nth !== times) return false;
    this.killedAt = point;
    this.trace(`killed at ${point}, time ${times}`);
    return true;
  }

  /** The system takes back its locks; what was not committed never was. */
  #end(): void {
    this.dead = true;
    for (const database of this.databases) database.close();
  }
}
