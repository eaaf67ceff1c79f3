import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { type BudgetId, budgetId, type CampaignId, campaignId, customerId } from '../../src/domain/ids.ts';
import { type Micros, parseAmount } from '../../src/domain/micros.ts';
import { checkQueryFile, type QueryFile } from '../../src/gaql/query-file.ts';
import type { AccountFacts, CampaignBudget, Subject } from '../../src/rules/evaluate-rule.ts';
import type { Rule } from '../../src/rules/rule.ts';
import { checkRuleFile } from '../../src/rules/rule-file.ts';

export function queryNamed(name: string, source: string): QueryFile {
  const { query, diagnostics } = checkQueryFile(name, source, { catalogue: loadCatalogue('v25') });
  if (!query) throw new Error(diagnostics.map(({ message }) => message).join(' '));
  return query;
}

const DAILY = 'FROM campaign WHERE segments.date DURING LAST_30_DAYS';

/** The tables rules read in these tests. */
export const QUERIES: ReadonlyMap<string, QueryFile> = new Map(
  [
    queryNamed(
      'stats',
      `SELECT campaign.id, campaign.name, campaign.status, campaign_budget.explicitly_shared, metrics.impressions, metrics.clicks, metrics.cost_micros, segments.date ${DAILY}`,
    ),
    queryNamed(
      'misnamed',
      'SELECT ad_group.id AS campaign_id, metrics.clicks, segments.date FROM ad_group WHERE segments.date DURING LAST_30_DAYS',
    ),
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

/** The text of a rule file; undefined leaves a key out. */
export function ruleText(changes: RuleText = {}): string {
  return Object.entries({ ...DEFAULTS, ...changes })
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}\n`]))
    .join('');
}

export function ruleOf(changes: RuleText = {}, name = 'a-rule'): Rule {
  const { rule, diagnostics } = checkRuleFile(name, ruleText(changes), QUERIES);
  if (!rule) throw new Error(diagnostics.map(({ message }) => message).join(' '));
  return rule;
}

/** An amount in currency units. */
export function money(text: string): Micros {
  const amount = parseAmount(text);
  if (amount === undefined) throw new Error(`${text} is no amount`);
  return amount;
}

export const [C1, C2, C3]: readonly [CampaignId, CampaignId, CampaignId] = [
  campaignId('1'),
  campaignId('2'),
  campaignId('3'),
];
export const [B1, B2]: readonly [BudgetId, BudgetId] = [budgetId('71'), budgetId('72')];

export function budget(id: BudgetId, amount: string, campaignName?: string): CampaignBudget {
  return { budgetId: id, amount: money(amount), source: 'read', campaignName };
}

export function account(changes: Partial<AccountFacts> = {}): AccountFacts {
  return {
    customerId: customerId('1234567890'),
    currency: 'EUR',
    budgets: new Map([[C1, budget(B1, '20')]]),
    decidedToday: new Map(),
    open: new Set(),
    ...changes,
  };
}

/** A campaign with clicks that cost too much, unless told otherwise. */
export function subject(
  id: CampaignId,
  metrics: Readonly<Record<string, bigint | number>> = {},
  name = `C${id}`,
): Subject {
  return {
    campaignId: BigInt(id),
    metrics: new Map(Object.entries({ impressions: 5_000n, clicks: 100n, cost_micros: 321_000_000n, ...metrics })),
    attributes: new Map<string, string | bigint>([
      ['campaign_id', BigInt(id)],
      ['campaign_name', name],
      ['campaign_status', 'ENABLED'],
    ]),
  };
}
