-- Spend and results per campaign and hour, 14 days.
SELECT
  campaign.id,
  campaign.name,
  segments.hour,
  metrics.impressions,
  metrics.clicks,
  metrics.cost_micros,
  metrics.conversions,
  metrics.conversions_value,
  segments.date
FROM campaign
WHERE segments.date DURING LAST_14_DAYS
