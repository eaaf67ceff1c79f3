-- Keyword statistics, one row per keyword and day, of the last 30 complete days.
-- Every later run reads the same window again, so corrections of the last days arrive too.
SELECT
  campaign.id,
  campaign.name,
  campaign.advertising_channel_type,
  ad_group.id,
  ad_group.name,
  ad_group.status,
  ad_group_criterion.criterion_id,
  ad_group_criterion.status,
  ad_group_criterion.keyword.text,
  ad_group_criterion.keyword.match_type,
  metrics.impressions,
  metrics.clicks,
  metrics.cost_micros,
  segments.date
FROM keyword_view
WHERE segments.date DURING LAST_30_DAYS
