import type { CampaignStatus } from '../../domain/campaign-status.ts';
import { InvariantError } from '../../domain/errors.ts';
import type { BudgetId } from '../../domain/ids.ts';
import { type Micros, micros } from '../../domain/micros.ts';
import { CURRENCIES } from '../market/billable-units.ts';
import type { Account, AdGroup, Budget, Campaign, Keyword, OpenGroup } from '../market/market.ts';
import { LABELS, type Label, type LinkedClient } from './account-tree.ts';

export interface Entity {
  readonly account: Account;
  readonly keyword?: Keyword;
  readonly adGroup?: AdGroup;
  readonly assetGroup?: AdGroup;
  /** Number of the ad within its ad group, from 1. */
  readonly ad?: number;
  readonly searchTerm?: string;
  readonly country?: Country;
  readonly campaign?: Campaign;
  readonly budget?: Budget;
  readonly link?: LinkedClient;
  readonly label?: Label;
  readonly currency?: string;
  readonly amountNow?: Micros;
  readonly statusNow?: CampaignStatus;
  readonly removed?: boolean;
  /** Set for a budget of a whole period. */
  readonly total?: Micros | undefined;
  readonly change?: BudgetChanged;
  readonly action?: ConversionAction;
  readonly recommended?: Micros;
}

export interface BudgetChanged {
  readonly id: string;
  readonly budgetId: BudgetId;
  readonly from: Micros;
  readonly to: Micros;
  /** In the account's time zone, such as `2026-11-20 13:00:00.000000`. */
  readonly at: string;
}

interface Country {
  readonly id: string;
  readonly weight: number;
}

export interface ConversionAction {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly category: string;
  readonly primary: boolean;
}

export interface Now {
  readonly budgetNow: (budget: Budget) => Required<Pick<Entity, 'amountNow' | 'removed'>> & Pick<Entity, 'total'>;
  readonly statusNow?: (campaign: Campaign) => CampaignStatus;
}

export interface EntitySource extends Now {
  readonly resource: string;
  readonly account: Account;
  readonly links: readonly LinkedClient[];
  readonly changes: readonly BudgetChanged[];
  /** True if the query names a campaign field. Budgets and countries then have one row per campaign. */
  readonly byCampaign: boolean;
  /** Share of impressions that each campaign lost in the last 7 days because of its budget. */
  readonly lostToBudget: () => ReadonlyMap<Campaign, number>;
}

/** `weight` is a share from 0 to 1. */
export interface UnitPart {
  readonly key: unknown;
  readonly weight: number;
}

const AD_WEIGHTS = [0.62, 0.38];
const TERM_FORMS = ['{}', '{} 2026', 'best {} deals'];
const TERM_WEIGHTS = [0.7, 0.2, 0.1];
/** Germany, Austria, Switzerland, the United States, the United Kingdom and Japan. */
const COUNTRIES: readonly Country[] = [
  { id: '2276', weight: 0.4 },
  { id: '2040', weight: 0.15 },
  { id: '2756', weight: 0.1 },
  { id: '2840', weight: 0.2 },
  { id: '2826', weight: 0.1 },
  { id: '2392', weight: 0.05 },
];

export const CONVERSION_ACTIONS: readonly ConversionAction[] = [
  { id: '901', name: 'Purchase', type: 'WEBPAGE', category: 'PURCHASE', primary: true },
  { id: '902', name: 'Call from ad', type: 'AD_CALL', category: 'PHONE_CALL_LEAD', primary: false },
];

export function entitiesOf(source: EntitySource): Entity[] {
  const { resource, account, budgetNow, statusNow = ({ status }) => status, links, changes, byCampaign } = source;
  const ofBudget = (budget: Budget) => ({ budget, ...budgetNow(budget) });
  const statuses = new Map(account.campaigns.map((campaign) => [campaign, statusNow(campaign)]));
  const ofCampaign = (campaign: Campaign): Entity => ({
    account,
    campaign,
    budget: campaign.budget,
    statusNow: statuses.get(campaign) ?? campaign.status,
  });
  switch (resource) {
    case 'keyword_view':
      return account.keywords.map((keyword) => ({
        ...ofCampaign(keyword.campaign),
        keyword,
        adGroup: keyword.adGroup,
      }));
    case 'ad_group':
      return adGroupsOf(account).map(({ campaign, group }) => ({ ...ofCampaign(campaign), adGroup: group }));
    case 'ad_group_ad':
      return adGroupsOf(account).flatMap(({ campaign, group }) =>
        AD_WEIGHTS.map((_, ad) => ({ ...ofCampaign(campaign), adGroup: group, ad: ad + 1 })),
      );
    case 'asset_group':
      return account.openGroups
        .filter(isAssetGroup)
        .map(({ campaign, group }) => ({ ...ofCampaign(campaign), assetGroup: group }));
    case 'search_term_view':
      return account.keywords.flatMap((keyword) =>
        TERM_FORMS.map((form) => ({
          ...ofCampaign(keyword.campaign),
          keyword,
          adGroup: keyword.adGroup,
          searchTerm: form.replace('{}', keyword.text),
        })),
      );
    case 'geographic_view':
      return COUNTRIES.flatMap((country) =>
        byCampaign
          ? account.campaigns.map((campaign) => ({ ...ofCampaign(campaign), country }))
          : [{ account, country }],
      );
    case 'campaign':
      return account.campaigns.map((campaign) => ({ ...ofCampaign(campaign), ...ofBudget(campaign.budget) }));
    case 'campaign_budget':
      return byCampaign
        ? account.campaigns.map((campaign) => ({ ...ofCampaign(campaign), ...ofBudget(campaign.budget) }))
        : account.budgets.map((budget) => ({ account, ...ofBudget(budget) }));
    case 'recommendation': {
      const lost = source.lostToBudget();
      return account.campaigns.flatMap((campaign) => {
        const share = lost.get(campaign) ?? 0;
        if (share < RECOMMENDED_FROM) return [];
        const budget = ofBudget(campaign.budget);
        const recommended = micros(BigInt(Math.ceil(Number(budget.amountNow) / (1 - share) / 1e6)) * 1_000_000n);
        return [{ ...ofCampaign(campaign), ...budget, recommended }];
      });
    }
    case 'conversion_action':
      return CONVERSION_ACTIONS.map((action) => ({ account, action }));
    case 'customer':
      return [{ account }];
    case 'customer_client':
      return links.map((link) => ({ account, link }));
    case 'label':
      return LABELS.map((label) => ({ account, label }));
    case 'currency_constant':
      return CURRENCIES.map((currency) => ({ account, currency }));
    case 'change_event':
      return changes.map((change) => ({ account, change }));
    default:
      throw new InvariantError(`The sandbox has no rows for the resource ${resource}.`);
  }
}

const RECOMMENDED_FROM = 0.1;

const isAssetGroup = ({ campaign }: OpenGroup): boolean => campaign.channel === 'PERFORMANCE_MAX';

function adGroupsOf({ keywords, openGroups }: Account): OpenGroup[] {
  const ofKeywords = new Map(keywords.map(({ campaign, adGroup }) => [adGroup, { campaign, group: adGroup }]));
  return [...ofKeywords.values(), ...openGroups.filter((one) => !isAssetGroup(one))];
}

export function keyOfEntity(resource: string, entity: Entity): unknown {
  const { keyword, adGroup, campaign } = entity;
  switch (resource) {
    case 'ad_group_ad':
      return `${adGroup?.id} ${entity.ad}`;
    case 'search_term_view':
      return `${keyword?.adGroup.id} ${keyword?.criterionId} ${entity.searchTerm}`;
    case 'geographic_view':
      return `${entity.country?.id} ${campaign?.id}`;
    case 'campaign_budget':
      return campaign ?? entity.budget;
    case 'conversion_action':
      return entity.action;
    default:
      return (
        keyword ??
        adGroup ??
        entity.assetGroup ??
        campaign ??
        entity.link ??
        entity.label ??
        entity.currency ??
        entity.account
      );
  }
}

export function partsOfUnit(
  { resource, account, byCampaign }: Pick<EntitySource, 'resource' | 'account' | 'byCampaign'>,
  unit: Keyword | OpenGroup,
): readonly UnitPart[] {
  const whole = (key: unknown): UnitPart[] => [{ key, weight: 1 }];
  const isOpen = 'group' in unit;
  const group = isOpen ? unit.group : unit.adGroup;
  switch (resource) {
    case 'keyword_view':
      return whole(unit);
    case 'asset_group':
    case 'ad_group':
      return whole(group);
    case 'ad_group_ad':
      return AD_WEIGHTS.map((weight, ad) => ({ key: `${group.id} ${ad + 1}`, weight }));
    case 'search_term_view':
      if (isOpen) return [];
      return TERM_WEIGHTS.map((weight, place) => {
        const term = TERM_FORMS[place]?.replace('{}', unit.text);
        return { key: `${group.id} ${unit.criterionId} ${term}`, weight };
      });
    case 'geographic_view':
      return COUNTRIES.map(({ id, weight }) => ({ key: `${id} ${byCampaign ? unit.campaign.id : undefined}`, weight }));
    case 'campaign':
      return whole(unit.campaign);
    case 'campaign_budget':
      return whole(byCampaign ? unit.campaign : unit.campaign.budget);
    case 'conversion_action':
      return CONVERSION_ACTIONS.map((key, place) => ({ key, weight: place === 0 ? 1 : 0 }));
    default:
      return whole(account);
  }
}
