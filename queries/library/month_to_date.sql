-- Spend and results per campaign, this month so far.
SELECT
  campaign.id,
  campaign.name,
  campaign.status,
  metrics.impressions,
  metrics.clicks,
  metrics.cost_micros,
  metrics.conversions,
  metrics.conversions_value
FROM campaign
WHERE segments.date DURING THIS_MONTH
  AND metrics.impressions > 0
ORDER BY metrics.cost_micros DESC
