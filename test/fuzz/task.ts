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
