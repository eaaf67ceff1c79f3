/** What the children of the rules' part are told. */
export interface RulesJob {
  readonly database: string;
  readonly campaigns: number;
  /** That are in the table; those of the rules' part unless there are others. */
  readonly days?: number;
}

export const KEYWORDS = 20;
/** Of a campaign, with half of its keywords each. */
export const AD_GROUPS = 2;
export const FIRST_CAMPAIGN = 20_000_000_000;

/** The same statement that someone would write who wants the numbers and no rules. Parameters: customer, from, to. */
export const BARE_SUMS = `SELECT campaign_id, sum(clicks), sum(impressions), sum(cost_micros) FROM keyword_stats
  WHERE customer_id = ? AND date BETWEEN ? AND ? GROUP BY campaign_id`;
