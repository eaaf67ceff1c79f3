-- Spend by ad group.
SELECT
  campaign.id AS campaignId,
  campaign.campaign_budget~0 AS budget_id,
  ad_group.id,
  metrics.clicks AS clicks,
  metrics.cost_micros / 1e6 AS cost,
  metrics.clicks / metrics.impressions AS ctr,
FROM ad_group
WHERE segments.date >= '{start_date}' AND segments.date <= '{end_date}' AND campaign.id IN ({campaigns})
