/** `folder` holds the databases of bench/page, and gets the budgets. */
export interface BudgetsJob {
  readonly folder: string;
  readonly campaigns: number;
}
