-- Clicks and cost of each campaign by week, Monday to Sunday, and the change of clicks from the week before.
-- The name is that of the newest day.
WITH weeks AS (
  SELECT customer_id, campaign_id, currency, date(date, 'weekday 0', '-6 days') AS week,
    sum(clicks) AS clicks, sum(cost_micros) AS cost_micros
  FROM campaign_spend
  GROUP BY customer_id, campaign_id, currency, week
),
newest AS (
  SELECT customer_id, campaign_id, max(date) AS date FROM campaign_spend GROUP BY customer_id, campaign_id
),
named AS (
  SELECT customer_id, campaign_id, campaign_name FROM newest JOIN campaign_spend USING (customer_id, campaign_id, date)
)
SELECT customer_id, campaign_id, campaign_name, week, clicks, cost_micros, currency,
  clicks * 1.0 / lag(clicks) OVER (PARTITION BY customer_id, campaign_id ORDER BY week) - 1 AS clicks_change
FROM weeks LEFT JOIN named USING (customer_id, campaign_id)
