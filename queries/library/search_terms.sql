-- What people searched for, per day, 14 days.
SELECT
  search_term_view.resource_name,
  search_term_view.search_term,
  search_term_view.status,
  campaign.id,
  campaign.name,
  ad_group.id,
  ad_group.name,
  metrics.impressions,
  metrics.clicks,
  metrics.cost_micros,
  metrics.conversions,
  metrics.conversions_value,
  segments.date
FROM search_term_view
WHERE segments.date DURING LAST_14_DAYS
