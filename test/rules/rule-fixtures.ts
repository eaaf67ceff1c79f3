import { createHash } from 'node:crypto';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import type { CivilDate } from '../../src/domain/civil-date.ts';
import { type Micros, parseAmount } from '../../src/domain/micros.ts';
import { checkQueryFile, type QueryFile } from '../../src/language/gaql/query-file.ts';
import { checkRuleFile, type RuleFileCheck } from '../../src/language/rules/file/rule-file.ts';
import type { Rule } from '../../src/language/rules/rule.ts';

export function queryNamed(name: string, source: string): QueryFile {
  const { query, diagnostics } = checkQueryFile(name, source, { catalogue: loadCatalogue('v25') });
  if (!query) throw new Error(diagnostics.map(({ message }) => message).join(' '));
  return query;
}

const DAILY = 'FROM campaign WHERE segments.date DURING LAST_30_DAYS';
const FROM_KEYWORDS = 'FROM keyword_view WHERE segments.date';
const KEYWORDS = `SELECT campaign.id, campaign.name, campaign.status, ad_group.id, ad_group.name, ad_group_criterion.criterion_id,
  ad_group_criterion.keyword.text, metrics.impressions, metrics.clicks, metrics.cost_micros, metrics.conversions,
  metrics.conversions_value, metrics.ctr, metrics.conversions_from_interactions_rate, segments.date`;

/** The tables rules read in these tests. */
export const QUERIES: ReadonlyMap<string, QueryFile> = new Map(
  [
    queryNamed(
      'stats',
      `SELECT campaign.id, campaign.name, campaign.status, campaign_budget.amount_micros, campaign_budget.explicitly_shared, metrics.impressions, metrics.clicks, metrics.cost_micros, segments.date ${DAILY}`,
    ),
    queryNamed(
      'campaign_spend',
      `SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, segments.date ${DAILY}`,
    ),
    queryNamed('keyword_stats', `${KEYWORDS} ${FROM_KEYWORDS} DURING LAST_30_DAYS`),
    queryNamed('quarter', `${KEYWORDS} ${FROM_KEYWORDS} BETWEEN :today-90 AND :yesterday`),
    queryNamed(
      'year',
      'SELECT campaign.id, campaign.name, campaign.status, metrics.clicks, metrics.cost_micros, segments.date FROM campaign WHERE segments.date BETWEEN :today-365 AND :yesterday',
    ),
    queryNamed('so_far', `${KEYWORDS} ${FROM_KEYWORDS} BETWEEN :today-30 AND :today`),
    queryNamed(
      'hours',
      'SELECT campaign.id, campaign.name, segments.hour, metrics.clicks, metrics.cost_micros, metrics.conversions_value, segments.date FROM campaign WHERE segments.date BETWEEN :today-35 AND :today',
    ),
    queryNamed('past_hours', `SELECT campaign.id, segments.hour, metrics.clicks, segments.date ${DAILY}`),
    queryNamed('fixed_days', `${KEYWORDS} ${FROM_KEYWORDS} BETWEEN '2026-01-01' AND '2026-03-31'`),
    queryNamed(
      'misnamed',
      'SELECT ad_group.id AS campaign_id, metrics.clicks, segments.date FROM ad_group WHERE segments.date DURING LAST_30_DAYS',
    ),
    queryNamed(
      'impression_shares',
      `SELECT campaign.id, campaign.name, metrics.impressions, metrics.search_impression_share, metrics.search_budget_lost_impression_share, segments.date ${DAILY}`,
    ),
    queryNamed('only_lost', `SELECT campaign.id, metrics.search_budget_lost_impression_share, segments.date ${DAILY}`),
    queryNamed('undated', 'SELECT campaign.id, metrics.clicks FROM campaign'),
    queryNamed('limited', `SELECT campaign.id, metrics.clicks, segments.date ${DAILY} LIMIT 10`),
  ].map((query) => [query.name, query]),
);

const DEFAULTS = {
  description: 'A rule of a test.',
  from: 'stats',
  for: 'campaign',
  over: '7 days',
  when: 'clicks >= 30 AND cost / clicks > 2.50',
  change: 'decrease budget by 10%',
};

export type RuleText = Readonly<Record<string, string | undefined>>;

/** A limit that a rule of a test has at its end unless the test writes its own: a budget is changed once a day anyway. */
const LEAST_LIMITS = '{ cooldown: 1 day }';

/** The text of a rule file; undefined leaves a key out. */
export function ruleText(changes: RuleText = {}): string {
  const keys: RuleText = { ...DEFAULTS, ...changes };
  const limited = keys.change === undefined || /^pace/i.test(keys.change) || Object.hasOwn(keys, 'limits');
  return Object.entries(limited ? keys : { ...keys, limits: LEAST_LIMITS })
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}\n`]))
    .join('');
}

/** Checks a rule file's text against {@link QUERIES}. */
export function checkText(
  source: string,
  name = 'a-rule',
  settleDays: ReadonlyMap<string, number> = new Map(),
  broken: ReadonlySet<string> = new Set(),
  today?: CivilDate,
  conversionDays = 7,
): RuleFileCheck {
  const version = createHash('sha256').update(source).digest('hex').slice(0, 12);
  return checkRuleFile(name, source, QUERIES, broken, {
    version,
    completeness: { settleDays, conversionDays },
    catalogueOf: () => loadCatalogue('v25'),
    today,
  });
}

export function ruleOf(changes: RuleText = {}, name = 'a-rule'): Rule {
  const { rule, diagnostics } = checkText(ruleText(changes), name);
  if (!rule) throw new Error(diagnostics.map(({ message }) => message).join(' '));
  return rule;
}

/** An amount in currency units. */
export function money(text: string): Micros {
  const amount = parseAmount(text);
  if (amount === undefined) throw new Error(`${text} is no amount`);
  return amount;
}
