-- Asset groups of Performance Max per day, 30 days.
SELECT
  campaign.id,
  campaign.name,
  asset_group.id,
  asset_group.name,
  asset_group.status,
  metrics.impressions,
  metrics.clicks,
  metrics.cost_micros,
  metrics.conversions,
  metrics.conversions_value,
  segments.date
FROM asset_group
WHERE segments.date DURING LAST_30_DAYS
