-- Ads with poor or average strength, and their cost.
SELECT
  campaign.id,
  campaign.name,
  ad_group.id,
  ad_group.name,
  ad_group_ad.ad.id,
  ad_group_ad.ad_strength,
  metrics.impressions,
  metrics.clicks,
  metrics.cost_micros,
  metrics.conversions,
  metrics.conversions_value
FROM ad_group_ad
WHERE ad_group_ad.status = ENABLED
  AND ad_group_ad.ad_strength IN (POOR, AVERAGE)
  AND segments.date DURING LAST_30_DAYS
ORDER BY metrics.cost_micros DESC
