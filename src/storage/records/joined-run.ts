/** One of the tries of a task. */
export interface TaskLease {
  readonly queue: string;
  readonly id: string;
  /** The number of earlier tries. */
  readonly tries: number;
}

/** A run of another process. */
export interface JoinedRun {
  readonly runId: bigint;
  readonly token: bigint;
  /** The task of the caller. */
  lease(): TaskLease | undefined;
}
