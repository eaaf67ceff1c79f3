import type { Explanation } from '../gaql/codes/explanation.ts';

/** The codes that only rule files and settings get; `pacekeeper check --explain` shows them beside those of queries. */
export const RULE_CODES: ReadonlyMap<string, Explanation> = new Map(
  Object.entries({
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
      of: 'file',
    },
    BAD_KEY: {
      meaning: 'A key that stands for an id or a name is not written as one.',
      wrong: 'accounts: { my account: { currency: EUR } }',
      right: 'accounts: { 123-456-7890: { currency: EUR } }',
      of: 'file',
    },
    MISSING_KEY: {
      meaning: 'The file lacks a key that it needs.',
      wrong: 'description: Cut expensive clicks',
      right: 'description: Cut expensive clicks\nfrom: keyword_stats',
      of: 'file',
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
      of: 'file',
    },
    UNUSABLE_TABLE: {
      meaning:
        'The rule reads a table that cannot tell campaigns and days apart, or may be a part only: it needs campaign.id and segments.date under their own names, and no LIMIT.',
      wrong: 'SELECT campaign.id, metrics.clicks FROM campaign LIMIT 10',
      right: 'SELECT campaign.id, metrics.clicks, segments.date FROM campaign WHERE segments.date DURING LAST_30_DAYS',
      of: 'file',
    },
    IMPOSSIBLE_LIMITS: {
      meaning: 'The floor of a rule is above its ceiling, so that no amount is allowed.',
      wrong: 'limits: { floor: 200, ceiling: 5 }',
      right: 'limits: { floor: 5, ceiling: 200 }',
      of: 'file',
    },
  } satisfies Record<string, Explanation>),
);
