-- Spend and results of each campaign on each day of the last five weeks, and today so far.
-- Rules on results and pacing use this table. It is the only shipped one that reads today:
-- today's row grows with every run of the day, and the next morning's run replaces it.
SELECT
  campaign.id,
  campaign.name,
  campaign.status,
  metrics.impressions,
  metrics.clicks,
  metrics.cost_micros,
  metrics.conversions,
  metrics.conversions_value,
  metrics.search_impression_share,
  metrics.search_budget_lost_impression_share,
  segments.date
FROM campaign
WHERE segments.date BETWEEN :today-36 AND :today
