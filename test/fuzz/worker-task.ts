/** What a thread is to do. */
export interface Task {
  readonly target: string;
  readonly seed: number;
  readonly memory: SharedArrayBuffer;
  /** Inputs that are known to hang. */
  readonly skip: readonly Uint8Array[];
  readonly task:
    | { readonly kind: 'fuzz'; readonly forMs: number; readonly inputsMax: number }
    /** Whether this input fails. */
    | { readonly kind: 'try'; readonly input: Uint8Array };
}

/** What it tells. */
export type WorkerMessage =
  | { readonly kind: 'progress'; readonly inputs: number; readonly places: number }
  | { readonly kind: 'found'; readonly message: string; readonly input: Uint8Array }
  | {
      readonly kind: 'done';
      readonly inputs: number;
      readonly kept: readonly Uint8Array[];
      /** Of the program, passed at least once. */
      readonly places: number;
    }
  | { readonly kind: 'tried'; readonly failed: boolean };

/** The input that is being tried, where another thread can see it: a thread that hangs can tell nothing any more. */
export class SharedInput {
  static readonly BYTES_MAX = 1 << 20;
  readonly memory: SharedArrayBuffer;
  readonly #head: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(memory = new SharedArrayBuffer(12 + SharedInput.BYTES_MAX)) {
    this.memory = memory;
    this.#head = new Int32Array(memory, 0, 3);
    this.#bytes = new Uint8Array(memory, 12);
  }

  write(input: Uint8Array): void {
    const bytes = input.subarray(0, SharedInput.BYTES_MAX);
    this.#bytes.set(bytes);
    Atomics.store(this.#head, 1, bytes.length);
    Atomics.add(this.#head, 0, 1);
  }

  /** The thread that tries them, as the system knows it. */
  get thread(): number {
    return Atomics.load(this.#head, 2);
  }

  set thread(number: number) {
    Atomics.store(this.#head, 2, number);
  }

  /** Another number for every input that was written. */
  get turn(): number {
    return Atomics.load(this.#head, 0);
  }

  read(): Buffer {
    return Buffer.from(this.#bytes.slice(0, Atomics.load(this.#head, 1)));
  }
}
