/** What the child of the simulation's part is told. */
export interface SimulateJob {
  readonly days: number;
  readonly campaigns: number;
  /** False for the market alone, spent as the simulation spends it: what the rules' part is measured by. */
  readonly withRules: boolean;
}
