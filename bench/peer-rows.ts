/** Ids and numbers: text as the service wrote them, or numbers as the client made of them. */
type Value = string | number;

interface Named {
  readonly id: Value;
  readonly name: string;
}

/** A row as the client gives it by default. */
export interface ParsedRow {
  readonly campaign: Named & { readonly advertising_channel_type: Value };
  readonly ad_group: Named & { readonly status: Value };
  readonly ad_group_criterion: {
    readonly criterion_id: Value;
    readonly status: Value;
    readonly keyword: { readonly text: string; readonly match_type: Value };
  };
  readonly metrics: { readonly impressions: Value; readonly clicks: Value; readonly cost_micros: Value };
  readonly segments: { readonly date: string };
}

/** A row as the service wrote it. */
export interface RawRow {
  readonly campaign: Named & { readonly advertisingChannelType: Value };
  readonly adGroup: Named & { readonly status: Value };
  readonly adGroupCriterion: {
    readonly criterionId: Value;
    readonly status: Value;
    readonly keyword: { readonly text: string; readonly matchType: Value };
  };
  readonly metrics: { readonly impressions: Value; readonly clicks: Value; readonly costMicros: Value };
  readonly segments: { readonly date: string };
}

/** What stands behind the account in {@link PEER_TABLE}. */
export function valuesOfParsed(row: ParsedRow): Value[] {
  const { campaign, ad_group: adGroup, ad_group_criterion: criterion, metrics, segments } = row;
  const { keyword } = criterion;
  return [
    segments.date,
    adGroup.id,
    criterion.criterion_id,
    campaign.id,
    campaign.name,
    campaign.advertising_channel_type,
    adGroup.name,
    adGroup.status,
    criterion.status,
    keyword.text,
    keyword.match_type,
    metrics.impressions,
    metrics.clicks,
    metrics.cost_micros,
  ];
}

/** The same of a row as the service wrote it. */
export function valuesOfRaw({ campaign, adGroup, adGroupCriterion, metrics, segments }: RawRow): Value[] {
  const { keyword } = adGroupCriterion;
  return [
    segments.date,
    adGroup.id,
    adGroupCriterion.criterionId,
    campaign.id,
    campaign.name,
    campaign.advertisingChannelType,
    adGroup.name,
    adGroup.status,
    adGroupCriterion.status,
    keyword.text,
    keyword.matchType,
    metrics.impressions,
    metrics.clicks,
    metrics.costMicros,
  ];
}

export const PEER_TABLE = `CREATE TABLE keyword_stats (
  customer_id INTEGER NOT NULL, date TEXT NOT NULL, ad_group_id INTEGER NOT NULL, criterion_id INTEGER NOT NULL,
  campaign_id INTEGER, campaign_name TEXT, channel_type TEXT, ad_group_name TEXT, ad_group_status TEXT,
  criterion_status TEXT, keyword TEXT, match_type TEXT, impressions INTEGER, clicks INTEGER, cost_micros INTEGER,
  PRIMARY KEY (customer_id, date, ad_group_id, criterion_id))`;

export const PEER_UPSERT = `INSERT INTO keyword_stats VALUES (${Array(15).fill('?')})
  ON CONFLICT DO UPDATE SET campaign_id = excluded.campaign_id, campaign_name = excluded.campaign_name,
    channel_type = excluded.channel_type, ad_group_name = excluded.ad_group_name,
    ad_group_status = excluded.ad_group_status, criterion_status = excluded.criterion_status,
    keyword = excluded.keyword, match_type = excluded.match_type, impressions = excluded.impressions,
    clicks = excluded.clicks, cost_micros = excluded.cost_micros`;
