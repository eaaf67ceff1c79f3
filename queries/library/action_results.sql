-- Conversions per conversion action and day, 60 days.
SELECT
  conversion_action.id,
  conversion_action.name,
  metrics.all_conversions,
  metrics.all_conversions_value,
  segments.date
FROM conversion_action
WHERE segments.date BETWEEN :today-60 AND :yesterday
