-- Searches with 5+ clicks but no conversion, 30 days.
SELECT
  search_term_view.resource_name,
  search_term_view.search_term,
  search_term_view.status,
  campaign.id,
  campaign.name,
  ad_group.id,
  ad_group.name,
  metrics.clicks,
  metrics.cost_micros,
  metrics.conversions
FROM search_term_view
WHERE segments.date DURING LAST_30_DAYS
  AND metrics.clicks >= 5
  AND metrics.conversions = 0
ORDER BY metrics.cost_micros DESC
