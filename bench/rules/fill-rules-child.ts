import { addDays } from '../../src/domain/civil-date.ts';
import { openState } from '../../src/storage/records/sqlite/open-state.ts';
import { tableStatement } from '../../src/storage/warehouse/sqlite/query-tables.ts';
import { readJob } from '../measurement.ts';
import { CUSTOMER, queryOfDays, TODAY } from '../query.ts';
import { AD_GROUPS, FIRST_CAMPAIGN, KEYWORDS, type RulesJob } from './rules-job.ts';

/** Numbers that look random and are the same each time. */
const NOISE = `abs((ad_group.id * 2654435761 + keyword.id * 40503 + @day * 69069) * 1103515245 % 2147483647)`;

const FILL = `
  WITH RECURSIVE
    ad_group(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ad_group WHERE id < @adGroups),
    keyword(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM keyword WHERE id < @keywords),
    pair AS (
      SELECT ad_group.id AS ad_group, keyword.id AS keyword, @firstCampaign + ad_group.id * 7919 % @campaigns AS campaign,
        ${NOISE} AS noise
      FROM ad_group, keyword
    )
  INSERT INTO keyword_stats (customer_id, date, ad_group_id, ad_group_criterion_criterion_id, campaign_id, campaign_name,
    campaign_advertising_channel_type, ad_group_name, ad_group_status, ad_group_criterion_status,
    ad_group_criterion_keyword_text, ad_group_criterion_keyword_match_type, impressions, clicks, cost_micros, _row)
  SELECT @customer, @date, 150000000000 + ad_group, 300000000 + keyword, campaign, 'Campaign ' || campaign, 'SEARCH',
    'Ad group ' || ad_group, 'ENABLED', 'ENABLED', 'hiking boots ' || keyword, 'EXACT',
    noise % 2000, noise % 97, noise % 97 * (200000 + noise % 3000000), @day * @adGroups * @keywords + ad_group * @keywords + keyword
  FROM pair`;

/**
 * `fill-rules-child.js JOB`: a query's table with an account's keywords, each with a row on every day. The ids of ad groups do
 * not follow those of their campaigns, so that a campaign's rows lie apart as they do in an account that has grown.
 */
const { database, campaigns, days } = readJob<RulesJob>();
const state = await openState(database);
try {
  state.connection.pragma('synchronous = OFF');
  state.connection.exec(tableStatement(queryOfDays(days)));
  const fill = state.connection.prepare(FILL);
  for (let day = 0; day < days; day += 1) {
    fill.run({
      customer: BigInt(CUSTOMER),
      date: addDays(TODAY, day - days),
      day: BigInt(day),
      campaigns: BigInt(campaigns),
      firstCampaign: BigInt(FIRST_CAMPAIGN),
      adGroups: BigInt(campaigns * AD_GROUPS),
      keywords: BigInt(KEYWORDS / AD_GROUPS),
    });
  }
} finally {
  await state.close();
}
process.stdout.write('{}');
