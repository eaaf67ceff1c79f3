import type { DiagnosticCode, Explanation } from '../../gaql/codes.ts';

const EXPLANATIONS = {
  BAD_YAML: {
    meaning: 'The file is not valid YAML. Usual causes: a tab, a missing space after a colon, an unclosed quote.',
    wrong: 'description:Cut expensive clicks',
    right: 'description: Cut expensive clicks',
    of: 'file',
  },
  BAD_CSV: {
    meaning: 'The file is not valid CSV, lacks a column, or has a row with too many or too few cells.',
    wrong: 'date,from,to\n2026-11-19,GBP,EUR,1.17',
    right: 'date,from,to,rate\n2026-11-19,GBP,EUR,1.17',
    of: 'file',
  },
  UNKNOWN_KEY: {
    meaning: 'Unknown key. The message names its place.',
    wrong: 'limit: { floor: 5 }',
    right: 'limits: { floor: 5 }',
  },
  BAD_KEY: {
    meaning: 'Expected an id or a name as key.',
    wrong: 'accounts: { my account: { currency: EUR } }',
    right: 'accounts: { 123-456-7890: { currency: EUR } }',
    of: 'file',
  },
  MISSING_KEY: {
    meaning: 'A required key is missing. A rule needs a change, an alert, or both.',
    wrong: 'description: Cut them.\nfrom: keyword_stats\nfor: campaign\nover: 7 days\nwhen: clicks >= 30',
    right:
      'description: Cut them.\nfrom: keyword_stats\nfor: campaign\nover: 7 days\nwhen: clicks >= 30\nchange: decrease budget by 10%\nlimits: { step: 20% }',
  },
  TOO_LARGE: {
    meaning: 'The file is too large for a rule or settings file.',
    wrong: 'a file of a megabyte',
    right: 'a file for each rule',
    of: 'file',
  },
  UNKNOWN_TABLE: {
    meaning: 'No query file fills the table that the rule reads. Each query file fills the table of the same name.',
    wrong: 'from: keyword_stat',
    right: 'from: keyword_stats',
  },
  UNUSABLE_TABLE: {
    meaning:
      'The table lacks a column, or may be incomplete. Remove LIMIT. Select segments.date and the ids without aliases. Campaigns and budgets need campaign.id. Ad groups need ad_group.id. Keywords need ad_group.id and ad_group_criterion.criterion_id.',
    wrong: 'SELECT campaign.id, metrics.clicks FROM campaign LIMIT 10',
    right: 'SELECT campaign.id, metrics.clicks, segments.date FROM campaign WHERE segments.date DURING LAST_30_DAYS',
    of: 'file',
  },
  IMPOSSIBLE_LIMITS: {
    meaning:
      'The limits allow no change, or a limit has no effect. Examples: a floor above the ceiling, a step of 0% or of 100%.',
    wrong: 'limits: { floor: 200, ceiling: 5 }',
    right: 'limits: { floor: 5, ceiling: 200 }',
  },
  CHANGE_WITHOUT_LIMITS: {
    meaning: 'The rule changes budgets without a limit: floor, ceiling, step, cooldown or drift.',
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
      'Remove include_paused. It works only in rules that increase, decrease or set budgets. Alerts and monthly pacing count every campaign.',
    wrong: 'alert: { text: "{clicks} clicks" }\ninclude_paused: true',
    right: 'alert: { text: "{clicks} clicks" }',
  },
  UNUSED_CONVERSION_WINDOW: {
    meaning: 'Remove conversion_window. It works only in rules that use conversions.',
    wrong: 'when: clicks >= 30\nconversion_window: 14 days',
    right: 'when: conversions >= 3\nconversion_window: 14 days',
  },
  NO_BUDGET: {
    meaning: 'Ad groups and keywords have no budget. Their rules compare metrics and may only alert.',
    wrong: 'for: keyword\nchange: decrease budget by 10%',
    right: 'for: keyword\nalert: { text: "{ad_group_name}: {clicks} clicks" }',
  },
  BAD_TEMPLATE: {
    meaning:
      'The braces in an alert text do not match. Write values in single braces, and literal braces as {{ and }}.',
    wrong: 'alert: { text: "{cost / clicks a click" }',
    right: 'alert: { text: "{cost / clicks} a click" }',
  },
  BAD_FUNCTION: {
    meaning:
      'Unknown function or wrong values. mean, deviation, median and mad take one metric. coalesce takes two or more values.',
    wrong: 'when: sum(clicks) > 30',
    right: 'when: coalesce(clicks, 0) > 30',
  },
  BAD_WINDOW: {
    meaning:
      'The window is invalid or in the wrong place. Write it after a metric, or after parentheses with metrics. mean, deviation, median and mad work over the same weekday of several weeks; median and mad need at least three.',
    wrong: 'when: budget over 7 days > 20',
    right: 'when: cost over 7 days > 20',
  },
  MISSING_WINDOW: {
    meaning:
      'A metric has no window. Add "over" to the rule, or a window after the metric. "previous" means the days before those of "over".',
    wrong:
      'description: Cut them.\nfrom: keyword_stats\nfor: campaign\nwhen: clicks > 30\nchange: decrease budget by 10%',
    right:
      'description: Cut them.\nfrom: keyword_stats\nfor: campaign\nwhen: clicks over 7 days > 30\nchange: decrease budget by 10%\nlimits: { step: 20% }',
  },
  MIXED_WINDOWS: {
    meaning:
      'The quotient divides numbers of different days, or the comparison mixes whole days with hours. A window applies only to the value right before the window.',
    wrong: 'when: cost / clicks over previous 7 days > 2',
    right: 'when: (cost / clicks) over previous 7 days > 2',
  },
  MIXED_DAYS: {
    meaning: 'The rule compares a sum of several days with a budget of one day.',
    wrong: 'when: cost > 90% * budget',
    right: 'when: cost / 7 > 90% * budget',
  },
  UNLIKELY_COMPARISON: {
    meaning:
      'The comparison is always or never true, probably by mistake. Examples: a share and a number above 1, micros and an amount, a star as a wildcard.',
    wrong: 'when: ctr < 2',
    right: 'when: ctr < 2%',
  },
  UNLIKELY_CHANGE: {
    meaning:
      'The guards always refuse the change, or limit it, whatever the budgets are. The message names the code or limit.',
    wrong: 'change: increase budget by 30%\nlimits: { step: 20% }',
    right: 'change: increase budget by 20%\nlimits: { step: 20% }',
  },
  UNLIKELY_PACE: {
    meaning:
      'The month or flight is unlikely to reach its target. Usual causes: no floor, limits that do not fit the target, or a flight that has ended. Or spend is missing: "where" filters by status, or the table has only a part of the costs.',
    wrong: 'from: campaign_spend\nchange: pace budget to 3000 per month',
    right: 'from: campaign_spend\nchange: pace budget to 3000 per month\nlimits: { floor: 5 }',
  },
  WINDOW_LONGER_THAN_DATA: {
    meaning: 'The window starts before the first day that the query reads.',
    wrong: 'when: clicks over 60 days > 30',
    right: 'when: clicks over 30 days > 30',
  },
  WINDOW_NOT_SETTLED: {
    meaning:
      'The days of the window are never complete when the rule reads them. Either the query does not read these days, or its numbers become final later (extract.settle_days). A rule that reads today may only alert.',
    wrong: 'from: fixed_days\nwhen: clicks on yesterday > 30',
    right: 'from: keyword_stats\nwhen: clicks on yesterday > 30',
  },
  METRIC_NOT_SUMMABLE: {
    meaning: 'Averages, rates, shares and numbers of people cannot be summed. Select the parts, and divide their sums.',
    wrong: 'when: conversions_from_interactions_rate < 1%',
    right: 'when: conversions / clicks < 1%',
  },
  METRIC_IN_WHERE: {
    meaning: '"where" takes attributes only. Compare metrics and the budget in "when".',
    wrong: "where: clicks > 30 AND campaign_name LIKE 'Brand%'",
    right: "where: campaign_name LIKE 'Brand%'\nwhen: clicks > 30",
  },
  SEGMENT_IN_RULE: {
    meaning: 'Rules read sums over all segments. Select days with windows.',
    wrong: "when: date = '2026-11-19' AND clicks > 30",
    right: 'when: clicks on yesterday > 30',
  },
  ATTRIBUTE_OF_SEVERAL: {
    meaning: 'The attribute can have several values for one subject: a campaign has many ad groups.',
    wrong: "when: clicks > 30 AND ad_group_name = 'Shoes'",
    right: "when: clicks > 30 AND campaign_name = 'Shoes'",
  },
  AMOUNT_WITHOUT_CURRENCY: {
    meaning: 'The rule names an amount without a currency, and the accounts use several currencies.',
    wrong: 'when: cost > 50',
    right: 'when: cost > 50\ncurrency: EUR',
  },
} as const satisfies Record<string, Explanation>;

export type RuleCode = keyof typeof EXPLANATIONS;

export const RULE_CODES: ReadonlyMap<string, Explanation> = ofRules(EXPLANATIONS);

const SHARED_EXPLANATIONS = {
  UNEXPECTED_INPUT: {
    meaning: 'A word is in the wrong place. Join comparisons with AND, OR and NOT. Write a window after its metric.',
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
    meaning: 'Invalid character in a condition, such as a typographic sign, currency sign, semicolon or full stop.',
    wrong: 'when: clicks ≥ 30',
    right: 'when: clicks >= 30',
  },
  BAD_VALUE: {
    meaning: 'The value of a key has the wrong form. The message names the expected one.',
    wrong: 'over: last 7 days',
    right: 'over: 7 days',
  },
  OPERATOR_FIELD_MISMATCH: {
    meaning:
      'The two sides are of different kinds: text and a number, or money and a count. Or the rule has a value where it needs a condition.',
    wrong: 'when: cost > clicks',
    right: 'when: cost / clicks > 0.5 * average_cpc over 30 days',
  },
  UNRECOGNIZED_FIELD: {
    meaning: 'The table has no such column. pacekeeper check --schema lists its columns.',
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
