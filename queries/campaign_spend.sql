-- What each campaign spent on each of the last five weeks' days, whatever it spends on, and today so far: the only shipped table
-- that reads today, and the one that budgets are paced by.
-- Today's row grows with every run of the day; the next morning's run replaces it by the complete one.
SELECT
  campaign.id,
  campaign.name,
  campaign.status,
  metrics.impressions,
  metrics.clicks,
  metrics.cost_micros,
  segments.date
FROM campaign
WHERE segments.date BETWEEN :today-36 AND :today
