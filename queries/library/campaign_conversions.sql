-- Conversions per campaign and day, 60 days.
SELECT
  campaign.id,
  campaign.name,
  metrics.clicks,
  metrics.cost_micros,
  metrics.conversions,
  metrics.conversions_value,
  metrics.all_conversions,
  metrics.all_conversions_value,
  segments.date
FROM campaign
WHERE segments.date BETWEEN :today-60 AND :yesterday
