-- Campaigns as they are now, with the budget each spends from.
SELECT
  campaign.id,
  campaign.name,
  campaign.status,
  campaign_budget.id,
  campaign_budget.amount_micros
FROM campaign
WHERE campaign.status != REMOVED
ORDER BY campaign.id
