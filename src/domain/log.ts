/** What a line is about; a structured log has each as a field of its own. */
export interface LogFields {
  /** The number of the recorded run. */
  readonly run?: bigint;
  /** The account's id. */
  readonly account?: string;
  /** The name of the scheduled job. */
  readonly job?: string;
}

/** Progress and warnings, one line each; goes to stderr. */
export interface Log {
  info(line: string): void;
  warn(line: string): void;
  /** The same log, whose lines are about this besides. */
  with(fields: LogFields): Log;
}
