/** The one campaign of the sandbox's EUR account that a rule is always right to trim: 60.00 EUR a day, dear clicks. */
export const TRIMMED = {
  customerId: '4081725530',
  campaignId: '17204104729',
  campaignName: 'Generisch - Wanderschuhe',
  budgetId: '11087030970',
} as const;

/** A query that reads that campaign only, so that a run is quick. */
export const TRIM_QUERIES = {
  'stats.sql': `SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, segments.date
    FROM keyword_view WHERE segments.date DURING LAST_7_DAYS AND campaign.name = '${TRIMMED.campaignName}'`,
};

/** A rule that fires on it on every date: 60.00 EUR become 51.00 EUR. */
export const TRIM_RULES = {
  'trim.yaml': `description: Cut expensive clicks.
from: stats
for: campaign
over: 7 days
when: clicks >= 30 AND cost / clicks > 2.50
currency: EUR
change: decrease budget by 15%
limits: { floor: 5, ceiling: 200, step: 20% }
mode: apply
`,
};
