-- Budgets with the campaigns that share them.
SELECT
  campaign_budget.id,
  campaign_budget.name,
  campaign_budget.amount_micros,
  campaign_budget.explicitly_shared,
  campaign.id,
  campaign.name,
  campaign.status
FROM campaign_budget
WHERE campaign.status != REMOVED
ORDER BY campaign_budget.id
