-- Keywords with 10+ clicks but no conversion, 30 days.
SELECT
  campaign.id,
  campaign.name,
  ad_group.id,
  ad_group.name,
  ad_group_criterion.criterion_id,
  ad_group_criterion.keyword.text,
  ad_group_criterion.keyword.match_type,
  metrics.clicks,
  metrics.cost_micros,
  metrics.conversions
FROM keyword_view
WHERE segments.date DURING LAST_30_DAYS
  AND ad_group_criterion.status = ENABLED
  AND metrics.clicks >= 10
  AND metrics.conversions = 0
ORDER BY metrics.cost_micros DESC
