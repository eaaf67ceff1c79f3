-- Campaigns whose budget the service wants raised.
SELECT
  recommendation.resource_name,
  recommendation.type,
  campaign.id,
  campaign.name,
  campaign_budget.id,
  recommendation.campaign_budget_recommendation
FROM recommendation
WHERE recommendation.type = CAMPAIGN_BUDGET
  AND recommendation.dismissed = FALSE
