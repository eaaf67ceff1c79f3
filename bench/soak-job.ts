/** What the service of the soak is told. */
export interface SoakJob {
  readonly accounts: number;
  /** Before every answer. */
  readonly latencyMs: number;
  /** The file that says how far the time of the soak is ahead. */
  readonly ahead: string;
}
