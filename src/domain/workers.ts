/** The workers of a database, and the tasks of its runs. Times are in UTC. */
export interface WorkersStanding {
  /** Those that are live, or that went silent within the last hour. */
  readonly workers: readonly WorkerStanding[];
  /** `failed` counts the last day. */
  readonly tasks: readonly { readonly kind: string; readonly state: TaskState; readonly count: number }[];
  /** The newest ones of the last day. */
  readonly failed: readonly FailedTask[];
}

export interface WorkerStanding {
  /** Such as `4711@host`. */
  readonly worker: string;
  /** Workers of the same group have the same program, settings and files. */
  readonly group: string;
  readonly isLive: boolean;
  readonly heartbeatAt: string;
}

export type TaskState = 'waiting' | 'in_work' | 'failed';

/** A task that workers tried in vain. Its kind is a verb, such as `read`. */
export interface FailedTask {
  readonly kind: string;
  readonly customerId: string;
  readonly failedAt: string;
  /** The worker of the last try, and why it failed. Undefined if it died or hung. */
  readonly worker: string | undefined;
  readonly reason: string | undefined;
}
