-- Clicks and cost of each campaign by week.
SELECT customer_id, campaign_id, date(date, 'weekday 0', '-6 days') AS week,
  sum(clicks) AS clicks, sum(cost_micros) AS cost_micros
FROM campaign_spend
GROUP BY customer_id, campaign_id, week
