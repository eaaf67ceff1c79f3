-- Spend per budget and day, 30 days.
SELECT
  campaign_budget.id,
  campaign_budget.name,
  metrics.clicks,
  metrics.cost_micros,
  segments.date
FROM campaign_budget
WHERE segments.date DURING LAST_30_DAYS
