-- Campaign budgets as they are now, one row per budget.
SELECT
  campaign_budget.id,
  campaign_budget.name,
  campaign_budget.amount_micros,
  campaign_budget.explicitly_shared,
  campaign_budget.reference_count
FROM campaign_budget
ORDER BY campaign_budget.amount_micros DESC
