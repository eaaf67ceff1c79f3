import type { DiagnosticCode, Explanation } from '../../gaql/codes.ts';

const EXPLANATIONS = {
  BAD_YAML: {
    meaning: 'The file is not valid YAML. Usual causes: a tab, a missing space after a colon, an unclosed quote.',
    wrong: 'description:Cut expensive clicks',
    right: 'description: Cut expensive clicks',
    of: 'file',
  },
  UNKNOWN_KEY: {
    meaning: 'The file has an unknown key. The message names its place.',
    wrong: 'limit: { floor: 5 }',
    right: 'limits: { floor: 5 }',
  },
  BAD_KEY: {
    meaning: 'A key that must be an id or a name has the wrong form.',
    wrong: 'accounts: { my account: { currency: EUR } }',
    right: 'accounts: { 123-456-7890: { currency: EUR } }',
    of: 'file',
  },
  MISSING_KEY: {
    meaning: 'The file lacks a required key. A rule needs a change, an alert, or both.',
    wrong: 'description: Cut them.\nfrom: keyword_stats\nfor: campaign\nover: 7 days\nwhen: clicks >= 30',
    right:
      'description: Cut them.\nfrom: keyword_stats\nfor: campaign\nover: 7 days\nwhen: clicks >= 30\nchange: decrease budget by 10%\nlimits: { step: 20% }',
  },
  TOO_LARGE: {
    meaning: 'The file is larger than any rule or settings file needs to be.',
    wrong: 'a file of a megabyte',
    right: 'a file for each rule',
    of: 'file',
  },
  UNKNOWN_TABLE: {
    meaning: 'The rule reads a table that no query file fills. Each query file fills the table of the same name.',
    wrong: 'from: keyword_stat',
    right: 'from: keyword_stats',
  },
  UNUSABLE_TABLE: {
    meaning:
      'The table lacks a column that the rule needs, or may be incomplete. Select segments.date and the ids without aliases, and no LIMIT. Campaigns and budgets need campaign.id, ad groups ad_group.id, keywords ad_group.id and ad_group_criterion.criterion_id.',
    wrong: 'SELECT campaign.id, metrics.clicks FROM campaign LIMIT 10',
    right: 'SELECT campaign.id, metrics.clicks, segments.date FROM campaign WHERE segments.date DURING LAST_30_DAYS',
    of: 'file',
  },
  IMPOSSIBLE_LIMITS: {
    meaning: 'The limits allow no change, or limit none: a floor above the ceiling, a step of 0%.',
    wrong: 'limits: { floor: 200, ceiling: 5 }',
    right: 'limits: { floor: 5, ceiling: 200 }',
  },
  CHANGE_WITHOUT_LIMITS: {
    meaning: 'The rule changes budgets and has no limits of its own: no floor, ceiling, step, cooldown or drift.',
    wrong: 'change: decrease budget by 10%',
    right: 'change: decrease budget by 10%\nlimits: { step: 20%, cooldown: 3 days }',
  },
  LIMITS_WITHOUT_CHANGE: {
    meaning: 'The rule only alerts. Limits apply to changes only.',
    wrong: 'alert: { text: "{clicks} clicks" }\nlimits: { minimum: { clicks: 30 } }',
    right: 'alert: { text: "{clicks} clicks" }\nwhen: clicks >= 30 AND cost / clicks > 2.50',
  },
  UNUSED_INCLUDE_PAUSED: {
    meaning:
      'Only rules that increase, decrease or set budgets can count paused campaigns. Alerts and monthly pacing count every campaign.',
    wrong: 'alert: { text: "{clicks} clicks" }\ninclude_paused: true',
    right: 'alert: { text: "{clicks} clicks" }',
  },
  NO_BUDGET: {
    meaning: 'Ad groups and keywords have no budget of their own. Their rules compare metrics and may only alert.',
    wrong: 'for: keyword\nchange: decrease budget by 10%',
    right: 'for: keyword\nalert: { text: "{ad_group_name}: {clicks} clicks" }',
  },
  BAD_TEMPLATE: {
    meaning:
      'The braces in an alert text do not match. Write a value in one pair of braces, and literal braces as {{ and }}.',
    wrong: 'alert: { text: "{cost / clicks a click" }',
    right: 'alert: { text: "{cost / clicks} a click" }',
  },
  BAD_FUNCTION: {
    meaning:
      'The function is unknown or has the wrong values. Use mean, deviation, median and mad with one metric. Use coalesce with two or more values: the first known one counts.',
    wrong: 'when: sum(clicks) > 30',
    right: 'when: coalesce(clicks, 0) > 30',
  },
  BAD_WINDOW: {
    meaning:
      'The window is invalid or in the wrong place. Write it after a metric, or after parentheses with metrics. Use mean, deviation, median and mad over the same weekday of several weeks. median and mad need at least three.',
    wrong: 'when: budget over 7 days > 20',
    right: 'when: cost over 7 days > 20',
  },
  MISSING_WINDOW: {
    meaning:
      'A metric has no window: the rule has no "over", and no window follows the metric. Previous days are those before "over".',
    wrong:
      'description: Cut them.\nfrom: keyword_stats\nfor: campaign\nwhen: clicks > 30\nchange: decrease budget by 10%',
    right:
      'description: Cut them.\nfrom: keyword_stats\nfor: campaign\nwhen: clicks over 7 days > 30\nchange: decrease budget by 10%\nlimits: { step: 20% }',
  },
  MIXED_WINDOWS: {
    meaning: 'A window applies to the value right before it only, so the quotient divides numbers of different days.',
    wrong: 'when: cost / clicks over previous 7 days > 2',
    right: 'when: (cost / clicks) over previous 7 days > 2',
  },
  MIXED_DAYS: {
    meaning: 'The rule compares a sum over several days with a budget, which is an amount for one day.',
    wrong: 'when: cost > 90% * budget',
    right: 'when: cost / 7 > 90% * budget',
  },
  UNLIKELY_COMPARISON: {
    meaning:
      'The comparison is always or never true, probably by mistake. Examples: a share and a number above 1, micros and an amount, a star as a wildcard.',
    wrong: 'when: ctr < 2',
    right: 'when: ctr < 2%',
  },
  UNLIKELY_PACE: {
    meaning:
      'The month or flight is unlikely to reach its target. Usual causes: no floor, or a floor or ceiling that does not fit the target. The flight may have ended. A cooldown or step can be too slow for a weekday curve. A "where" on the status, or a table with partial costs, hides spend.',
    wrong: 'from: campaign_spend\nchange: pace budget to 3000 per month',
    right: 'from: campaign_spend\nchange: pace budget to 3000 per month\nlimits: { floor: 5 }',
  },
  WINDOW_LONGER_THAN_DATA: {
    meaning: 'The window reaches further back than the days that the query reads.',
    wrong: 'when: clicks over 60 days > 30',
    right: 'when: clicks over 30 days > 30',
  },
  WINDOW_NOT_SETTLED: {
    meaning:
      'The days of the window are never complete when the rule reads them. The query reads fixed days or days too long ago, or its numbers become final later (extract.settle_days). Today is never complete: a rule that reads it may only alert.',
    wrong: 'from: fixed_days\nwhen: clicks on yesterday > 30',
    right: 'from: keyword_stats\nwhen: clicks on yesterday > 30',
  },
  METRIC_NOT_SUMMABLE: {
    meaning:
      'This metric cannot be summed over days and rows: averages, rates, shares, people. Select its parts, and divide their sums. pacekeeper computes ctr and average_cpc this way.',
    wrong: 'when: conversions_from_interactions_rate < 1%',
    right: 'when: conversions / clicks < 1%',
  },
  METRIC_IN_WHERE: {
    meaning: '"where" selects by attributes only. Compare metrics and the budget in "when".',
    wrong: "where: clicks > 30 AND campaign_name LIKE 'Brand%'",
    right: "where: campaign_name LIKE 'Brand%'\nwhen: clicks > 30",
  },
  SEGMENT_IN_RULE: {
    meaning: 'A segment splits the rows of a day. A rule reads their sum, and selects days with windows.',
    wrong: "when: date = '2026-11-19' AND clicks > 30",
    right: 'when: clicks on yesterday > 30',
  },
  ATTRIBUTE_OF_SEVERAL: {
    meaning: 'The attribute can have several values for one subject of the rule: a campaign has many ad groups.',
    wrong: "when: clicks > 30 AND ad_group_name = 'Shoes'",
    right: "when: clicks > 30 AND campaign_name = 'Shoes'",
  },
  AMOUNT_WITHOUT_CURRENCY: {
    meaning: 'The rule names an amount without a currency. The same number is worth more or less in another currency.',
    wrong: 'when: cost > 50',
    right: 'when: cost > 50\ncurrency: EUR',
  },
} as const satisfies Record<string, Explanation>;

export type RuleCode = keyof typeof EXPLANATIONS;

export const RULE_CODES: ReadonlyMap<string, Explanation> = ofRules(EXPLANATIONS);

const SHARED_EXPLANATIONS = {
  UNEXPECTED_INPUT: {
    meaning:
      'A word is in the wrong place. Compare values, and join comparisons with AND, OR and NOT. Write a window after its metric.',
    wrong: 'when: clicks last 7 days > 30',
    right: 'when: clicks over 7 days > 30',
  },
  UNEXPECTED_END_OF_QUERY: {
    meaning: 'The condition, value or change is incomplete: a side or a closing parenthesis is missing.',
    wrong: 'when: clicks > 30 AND (cost > 5',
    right: 'when: clicks > 30 AND (cost > 5)',
  },
  STRING_NOT_TERMINATED: {
    meaning: 'A text has no closing quote on its line.',
    wrong: "where: campaign_name = 'Brand",
    right: "where: campaign_name = 'Brand'",
  },
  BAD_SYMBOL: {
    meaning: 'A character has no meaning in a condition: typographic signs, currency signs, semicolons, full stops.',
    wrong: 'when: clicks ≥ 30',
    right: 'when: clicks >= 30',
  },
  BAD_VALUE: {
    meaning: 'The value of a key has the wrong form. The message says what is expected.',
    wrong: 'over: last 7 days',
    right: 'over: 7 days',
  },
  OPERATOR_FIELD_MISMATCH: {
    meaning:
      'The two sides do not fit: text and a number, or money and a count. Or a value was found where a condition is expected.',
    wrong: 'when: cost > clicks',
    right: 'when: cost / clicks > 0.5 * average_cpc over 30 days',
  },
  UNRECOGNIZED_FIELD: {
    meaning: 'The table has no column of this name. Run pacekeeper check --schema to see its columns.',
    wrong: 'when: clickz > 30',
    right: 'when: clicks > 30',
  },
  BAD_ENUM_CONSTANT: {
    meaning: 'Unknown constant. The column holds constants of the service, in capitals.',
    wrong: "where: campaign_status = 'enabled'",
    right: "where: campaign_status = 'ENABLED'",
  },
} as const satisfies Partial<Record<DiagnosticCode, Explanation>>;

export const SHARED_CODES: ReadonlyMap<string, Explanation> = ofRules(SHARED_EXPLANATIONS);

function ofRules(explanations: Readonly<Record<string, Explanation>>): ReadonlyMap<string, Explanation> {
  return new Map(Object.entries(explanations).map(([code, one]) => [code, { ...one, of: one.of ?? 'rule' }]));
}
