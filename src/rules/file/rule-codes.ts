import type { DiagnosticCode, Explanation } from '../../gaql/codes.ts';

const EXPLANATIONS = {
  BAD_YAML: {
    meaning: 'The file is not YAML: often a tab, a missing space after a colon, or a quote that is not closed.',
    wrong: 'description:Cut expensive clicks',
    right: 'description: Cut expensive clicks',
    of: 'file',
  },
  UNKNOWN_KEY: {
    meaning: 'The file has a key that is not known here. The message names the place.',
    wrong: 'limit: { floor: 5 }',
    right: 'limits: { floor: 5 }',
  },
  BAD_KEY: {
    meaning: 'A key that stands for an id or a name is not written as one.',
    wrong: 'accounts: { my account: { currency: EUR } }',
    right: 'accounts: { 123-456-7890: { currency: EUR } }',
    of: 'file',
  },
  MISSING_KEY: {
    meaning: 'The file lacks a key that it needs. A rule needs a change, an alert, or both.',
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
    meaning: 'The rule reads a table that no query file fills. A query file fills the table of its own name.',
    wrong: 'from: keyword_stat',
    right: 'from: keyword_stats',
  },
  UNUSABLE_TABLE: {
    meaning:
      'The rule reads a table that cannot tell days and what the rule is for apart, or may be a part only: it needs segments.date, for campaigns and budgets campaign.id, for ad groups ad_group.id, for keywords also ad_group_criterion.criterion_id, each under its own name, and no LIMIT.',
    wrong: 'SELECT campaign.id, metrics.clicks FROM campaign LIMIT 10',
    right: 'SELECT campaign.id, metrics.clicks, segments.date FROM campaign WHERE segments.date DURING LAST_30_DAYS',
    of: 'file',
  },
  IMPOSSIBLE_LIMITS: {
    meaning: 'The limits of a rule let no change through, or hold none back: a floor above the ceiling, a step of 0%.',
    wrong: 'limits: { floor: 200, ceiling: 5 }',
    right: 'limits: { floor: 5, ceiling: 200 }',
  },
  CHANGE_WITHOUT_LIMITS: {
    meaning: 'The rule changes budgets and has no limits of its own: no floor, ceiling, step, cooldown or drift.',
    wrong: 'change: decrease budget by 10%',
    right: 'change: decrease budget by 10%\nlimits: { step: 20%, cooldown: 3 days }',
  },
  LIMITS_WITHOUT_CHANGE: {
    meaning: 'The rule only alerts, and limits hold changes back alone.',
    wrong: 'alert: { text: "{clicks} clicks" }\nlimits: { minimum: { clicks: 30 } }',
    right: 'alert: { text: "{clicks} clicks" }\nwhen: clicks >= 30 AND cost / clicks > 2.50',
  },
  UNUSED_INCLUDE_PAUSED: {
    meaning:
      'Only rules that increase, decrease or set budgets can count paused campaigns. Alerts and months count every campaign.',
    wrong: 'alert: { text: "{clicks} clicks" }\ninclude_paused: true',
    right: 'alert: { text: "{clicks} clicks" }',
  },
  NO_BUDGET: {
    meaning: 'Ad groups and keywords have no budget of their own: rules for them compare metrics, and may only alert.',
    wrong: 'for: keyword\nchange: decrease budget by 10%',
    right: 'for: keyword\nalert: { text: "{ad_group_name}: {clicks} clicks" }',
  },
  BAD_TEMPLATE: {
    meaning: 'The braces in the text of an alert do not fit: a value stands in one pair of them, {{ and }} are braces.',
    wrong: 'alert: { text: "{cost / clicks a click" }',
    right: 'alert: { text: "{cost / clicks} a click" }',
  },
  BAD_FUNCTION: {
    meaning:
      'There are mean, deviation, median and mad of one metric, and coalesce of two or more values of which the first known counts.',
    wrong: 'when: sum(clicks) > 30',
    right: 'when: coalesce(clicks, 0) > 30',
  },
  BAD_WINDOW: {
    meaning:
      'The window is none, or belongs to nothing: windows follow metrics or parentheses with metrics, and mean, deviation, median and mad are over the same weekday of some weeks: three at least for the last two.',
    wrong: 'when: budget over 7 days > 20',
    right: 'when: cost over 7 days > 20',
  },
  MISSING_WINDOW: {
    meaning:
      'A metric has no days: the rule has no "over", and no window follows the metric. Previous days are those before "over".',
    wrong:
      'description: Cut them.\nfrom: keyword_stats\nfor: campaign\nwhen: clicks > 30\nchange: decrease budget by 10%',
    right:
      'description: Cut them.\nfrom: keyword_stats\nfor: campaign\nwhen: clicks over 7 days > 30\nchange: decrease budget by 10%\nlimits: { step: 20% }',
  },
  MIXED_WINDOWS: {
    meaning: 'A window belongs to the value right before it, so that a quotient divides numbers of different days.',
    wrong: 'when: cost / clicks over previous 7 days > 2',
    right: 'when: (cost / clicks) over previous 7 days > 2',
  },
  MIXED_DAYS: {
    meaning: 'A sum over several days is set beside a budget, which is the amount of one day.',
    wrong: 'when: cost > 90% * budget',
    right: 'when: cost / 7 > 90% * budget',
  },
  UNLIKELY_COMPARISON: {
    meaning:
      'The comparison is always or never true by a slip: a share beside a number above 1, millionths beside an amount, a star for any text.',
    wrong: 'when: ctr < 2',
    right: 'when: ctr < 2%',
  },
  UNLIKELY_PACE: {
    meaning:
      'A rule that paces says what its month is not likely to come to the target with: no floor, limits of a day that no target of the month fits, a cooldown or a step that no curve of the weekdays fits, a "where" of the status, a table that has a part of the costs only.',
    wrong: 'from: campaign_spend\nchange: pace budget to 3000 per month',
    right: 'from: campaign_spend\nchange: pace budget to 3000 per month\nlimits: { floor: 5 }',
  },
  WINDOW_LONGER_THAN_DATA: {
    meaning: 'The window reaches farther back than the days that the query reads.',
    wrong: 'when: clicks over 60 days > 30',
    right: 'when: clicks over 30 days > 30',
  },
  WINDOW_NOT_SETTLED: {
    meaning:
      'The days of the window are never complete when the rule looks at them: the query reads fixed days, days too long ago, or its numbers settle later (extract.settle_days). Today is never complete: a rule that looks at it may alert, and change nothing.',
    wrong: 'from: fixed_days\nwhen: clicks on yesterday > 30',
    right: 'from: keyword_stats\nwhen: clicks on yesterday > 30',
  },
  METRIC_NOT_SUMMABLE: {
    meaning:
      'The numbers of several days and rows do not add up to the metric: averages, rates, shares, people. Select what it is made of, and divide the sums; ctr and average_cpc are computed so.',
    wrong: 'when: conversions_from_interactions_rate < 1%',
    right: 'when: conversions / clicks < 1%',
  },
  METRIC_IN_WHERE: {
    meaning: '"where" chooses what takes part by attributes alone; metrics and the budget are compared in "when".',
    wrong: "where: clicks > 30 AND campaign_name LIKE 'Brand%'",
    right: "where: campaign_name LIKE 'Brand%'\nwhen: clicks > 30",
  },
  SEGMENT_IN_RULE: {
    meaning: 'A segment splits the rows of a day; a rule looks at their sum, and chooses days by windows.',
    wrong: "when: date = '2026-11-19' AND clicks > 30",
    right: 'when: clicks on yesterday > 30',
  },
  ATTRIBUTE_OF_SEVERAL: {
    meaning: 'What the rule is for may have several of what the attribute belongs to: a campaign has many ad groups.',
    wrong: "when: clicks > 30 AND ad_group_name = 'Shoes'",
    right: "when: clicks > 30 AND campaign_name = 'Shoes'",
  },
  AMOUNT_WITHOUT_CURRENCY: {
    meaning: 'The rule names an amount of money, which means another one in accounts of another currency.',
    wrong: 'when: cost > 50',
    right: 'when: cost > 50\ncurrency: EUR',
  },
} as const satisfies Record<string, Explanation>;

export type RuleCode = keyof typeof EXPLANATIONS;

export const RULE_CODES: ReadonlyMap<string, Explanation> = ofRules(EXPLANATIONS);

const SHARED_EXPLANATIONS = {
  UNEXPECTED_INPUT: {
    meaning:
      'A word stands where another one belongs. A condition compares values, joined with AND, OR and NOT; a window follows its metric.',
    wrong: 'when: clicks last 7 days > 30',
    right: 'when: clicks over 7 days > 30',
  },
  UNEXPECTED_END_OF_QUERY: {
    meaning: 'The condition, value or change ends before it is whole: a side or a closing parenthesis is missing.',
    wrong: 'when: clicks > 30 AND (cost > 5',
    right: 'when: clicks > 30 AND (cost > 5)',
  },
  STRING_NOT_TERMINATED: {
    meaning: 'A text has no closing quote on its line.',
    wrong: "where: campaign_name = 'Brand",
    right: "where: campaign_name = 'Brand'",
  },
  BAD_SYMBOL: {
    meaning: 'A character that has no meaning in a condition: signs of print and of currencies, semicolons, points.',
    wrong: 'when: clicks ≥ 30',
    right: 'when: clicks >= 30',
  },
  BAD_VALUE: {
    meaning: 'The value of a key is not written as the key needs it; the message says what is expected.',
    wrong: 'over: last 7 days',
    right: 'over: 7 days',
  },
  OPERATOR_FIELD_MISMATCH: {
    meaning:
      'The two sides do not fit: text beside a number, an amount of money beside a count, or a value in the place of a condition.',
    wrong: 'when: cost > clicks',
    right: 'when: cost / clicks > 0.5 * average_cpc over 30 days',
  },
  UNRECOGNIZED_FIELD: {
    meaning: 'The table has no column of this name; pacekeeper check --schema prints its columns.',
    wrong: 'when: clickz > 30',
    right: 'when: clicks > 30',
  },
  BAD_ENUM_CONSTANT: {
    meaning: 'The column holds constants of the service, in capitals, and this is none of them.',
    wrong: "where: campaign_status = 'enabled'",
    right: "where: campaign_status = 'ENABLED'",
  },
} as const satisfies Partial<Record<DiagnosticCode, Explanation>>;

export const SHARED_CODES: ReadonlyMap<string, Explanation> = ofRules(SHARED_EXPLANATIONS);

function ofRules(explanations: Readonly<Record<string, Explanation>>): ReadonlyMap<string, Explanation> {
  return new Map(Object.entries(explanations).map(([code, one]) => [code, { ...one, of: one.of ?? 'rule' }]));
}
