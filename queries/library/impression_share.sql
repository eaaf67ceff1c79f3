-- Search impression share, lost to budget or rank.
SELECT
  campaign.id,
  campaign.name,
  metrics.impressions,
  metrics.search_impression_share,
  metrics.search_budget_lost_impression_share,
  metrics.search_rank_lost_impression_share,
  segments.date
FROM campaign
WHERE segments.date DURING LAST_30_DAYS
  AND campaign.advertising_channel_type = SEARCH
