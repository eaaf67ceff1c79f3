-- Spend and results per country and day, 30 days.
SELECT
  geographic_view.country_criterion_id,
  geographic_view.location_type,
  metrics.impressions,
  metrics.clicks,
  metrics.cost_micros,
  metrics.conversions,
  metrics.conversions_value,
  segments.date
FROM geographic_view
WHERE segments.date DURING LAST_30_DAYS
