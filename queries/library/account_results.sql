-- Spend and results of the account per day, 90 days.
SELECT
  metrics.impressions,
  metrics.clicks,
  metrics.cost_micros,
  metrics.conversions,
  metrics.conversions_value,
  segments.date
FROM customer
WHERE segments.date BETWEEN :today-90 AND :yesterday
