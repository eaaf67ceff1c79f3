-- Removed campaigns, and what they cost in 90 days.
SELECT
  campaign.id,
  campaign.name,
  campaign.advertising_channel_type,
  metrics.impressions,
  metrics.clicks,
  metrics.cost_micros,
  metrics.conversions,
  metrics.conversions_value
FROM campaign
WHERE campaign.status = REMOVED
  AND segments.date BETWEEN :today-90 AND :yesterday
ORDER BY campaign.id
