/** What the children of the rules' part are told. */
export interface RulesJob {
  readonly database: string;
  readonly campaigns: number;
  /** That are in the table. */
  readonly days: number;
}

export const RULES = 200;
/** So many days are in the table of the rules' part, and the longest window has them all. */
export const DAYS = 90;
export const KEYWORDS = 20;
/** Of a campaign, with half of its keywords each. */
export const AD_GROUPS = 2;
export const FIRST_CAMPAIGN = 20_000_000_000;
