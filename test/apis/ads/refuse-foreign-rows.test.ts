import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { foreignRowsOf } from '../../../src/services/ads/foreign-rows.ts';
import { CUSTOMER } from './ads-client.ts';

const OTHER = '5555555555';

function refuse(...rows: readonly object[]): void {
  foreignRowsOf(CUSTOMER)(Buffer.from(JSON.stringify(rows)));
}

function named(kind: string, customer: string, id = '/1~2'): { readonly resourceName: string; readonly id: string } {
  return { resourceName: `customers/${customer}/${kind}${id}`, id: '1' };
}

/** The name of a resource's things within an account's, by its name in a query: `campaignCriteria` may stand as `campaignCriterions`. */
function kindOf(resource: string): string {
  return `${resource.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())}s`;
}

/** Of every resource of the interface whose rows may name another account than the one asked, or none: who has it. */
const MAY_BE_ANOTHERS: Readonly<Record<string, string>> = {
  'managers share them with their clients': `
    accessible_bidding_strategy bidding_strategy bidding_strategy_simulation label customer_label
    bidding_data_exclusion bidding_seasonality_adjustment shared_criterion shared_set goal asset asset_set
    asset_set_asset customer_asset customer_asset_set media_file video video_enhancement you_tube_video_upload
    customer_negative_criterion recommendation_subscription customizer_attribute customer_customizer
    recommendation applied_incentive hotel_reconciliation`,
  'conversions may be counted by a manager for its clients': `
    conversion_action conversion_custom_variable conversion_goal_campaign_config custom_conversion_goal
    conversion_value_rule conversion_value_rule_set customer_conversion_goal lead_form_submission_data
    offline_conversion_upload_client_summary offline_conversion_upload_conversion_action_summary
    offline_user_data_job batch_job`,
  'lists of people are shared, or the provider’s': `
    audience combined_audience custom_audience custom_interest detailed_demographic life_event remarketing_action
    user_interest user_list user_list_customer_type`,
  'another account pays': `
    account_budget account_budget_proposal billing_setup`,
  'a link has two ends': `
    account_link customer_client_link customer_manager_link data_link product_link product_link_invitation
    third_party_app_analytics_link multi_party_auth_review customer_user_access customer_user_access_invitation`,
  'the interface says too little of them': `
    keyword_plan keyword_plan_ad_group keyword_plan_ad_group_keyword keyword_plan_campaign
    keyword_plan_campaign_keyword local_services_employee local_services_lead local_services_lead_conversation
    local_services_verification_artifact android_privacy_shared_key_google_ad_group
    android_privacy_shared_key_google_campaign android_privacy_shared_key_google_network_type
    lift_measurement_age_range lift_measurement_campaign lift_measurement_config lift_measurement_device
    lift_measurement_flight lift_measurement_gender lift_measurement_video`,
  'they are the provider’s own lists, and their names name no account': `
    carrier_constant currency_constant domain_category geo_target_constant keyword_theme_constant
    language_constant mobile_app_category_constant mobile_device_constant product_category_constant
    operating_system_version_constant qualifying_question topic_constant`,
};

const RESOURCES = [...loadCatalogue('v25').resources.keys()];
const exempt = new Set(Object.values(MAY_BE_ANOTHERS).flatMap((names) => names.trim().split(/\s+/)));

describe('rows of another account', () => {
  it('are refused with the names of both accounts', () => {
    expect(() => refuse({ one: named('searchTermViews', OTHER) })).toThrow(
      `The answer for account ${CUSTOMER} contains rows of account ${OTHER}. If this error repeats`,
    );
    // The interface writes some plurals in two ways.
    expect(() => refuse({ one: named('adGroupCriteria', OTHER) })).toThrow(`contains rows of account ${OTHER}`);
  });

  it.each([
    [
      'after a text that ends in the beginning of a name',
      { campaign: { name: '"customers/', ...named('campaigns', OTHER) } },
    ],
    ['by the account itself', { customer: { resourceName: `customers/${OTHER}` } }],
    ['by a view that exists once per account', { view: named('shoppingPerformanceView', OTHER, '') }],
    ['with a space in the JSON', undefined],
    [
      'after resources that may be shared',
      { asset: named('assets', '1'), campaignAsset: named('campaignAssets', OTHER) },
    ],
  ])('are refused, named %s', (_, row) => {
    const spaced = Buffer.from(`[ { "campaign" : { "resourceName" : "customers/${OTHER}/campaigns/1" } } ]`);
    const look = () => (row ? refuse(row) : foreignRowsOf(CUSTOMER)(spaced));
    expect(look).toThrow(`contains rows of account ${OTHER}`);
  });

  it('are refused also far behind rows of the account', () => {
    const own = { campaign: named('campaigns', CUSTOMER, `/1${'0'.repeat(5000)}`) };
    expect(() => refuse(own, own, { campaign: named('campaigns', OTHER) })).toThrow(
      `contains rows of account ${OTHER}`,
    );
    expect(() => refuse(own, own)).not.toThrow();
  });

  it.each([`${CUSTOMER}0`, CUSTOMER.slice(0, -1)])('are refused if %s only begins like the account', (other) => {
    const own = { campaign: named('campaigns', CUSTOMER) };
    expect(() => refuse(own, { campaign: named('campaigns', other) })).toThrow(`contains rows of account ${other}.`);
  });

  it('are refused for every resource that only the account owns, and for no other', () => {
    const refused = RESOURCES.filter((resource) => {
      try {
        refuse({ one: named(kindOf(resource).replace(/^changeStatuss$/, 'changeStatus'), OTHER) });
        return false;
      } catch {
        return resource !== 'customer';
      }
    });
    expect(refused).toEqual(RESOURCES.filter((resource) => !exempt.has(resource) && resource !== 'customer'));
    expect([...exempt].filter((resource) => !RESOURCES.includes(resource))).toEqual([]);
  });
});

describe('rows of the requested account', () => {
  it.each([
    [
      'a campaign with the bidding strategy of its manager',
      { campaign: named('campaigns', CUSTOMER), biddingStrategy: named('biddingStrategies', OTHER) },
    ],
    [
      'the same with the strategy first',
      { biddingStrategy: named('biddingStrategies', OTHER), campaign: named('campaigns', CUSTOMER) },
    ],
    ['a conversion action that a manager counts', { conversionAction: named('conversionActions', OTHER) }],
    ['a shared list of users', { userList: named('userLists', OTHER) }],
    ['an asset of the manager’s library', { asset: named('assets', OTHER) }],
    ['a client of a manager', { customerClient: { ...named('customerClients', CUSTOMER), clientCustomer: OTHER } }],
    [
      'a client with the name of its account',
      { customerClient: { ...named('customerClients', CUSTOMER), clientCustomer: `customers/${OTHER}` } },
    ],
    ['a link to a manager', { customerManagerLink: named('customerManagerLinks', OTHER) }],
    ['a campaign with the name of its group', { campaign: { campaignGroup: `customers/${OTHER}/campaignGroups/1` } }],
    ['a place, which belongs to no account', { geoTargetConstant: { resourceName: 'geoTargetConstants/1000' } }],
    ['a text that looks like a name', { campaign: { name: `"resourceName":"customers/${OTHER}/campaigns/1"` } }],
    ['without any name', { metrics: { clicks: '1' } }],
  ])('are accepted: %s', (_, row) => {
    expect(() => refuse(row)).not.toThrow();
  });
});
