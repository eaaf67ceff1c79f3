-- Clicks and cost of each campaign by week, Monday to Sunday, and the change of clicks from the week before.
-- The name is that of the newest day. `days` counts the days of the account: a week with fewer than 7 is not whole,
-- and no change compares it.
WITH weeks AS (
  SELECT customer_id, campaign_id, currency, date(date, 'weekday 0', '-6 days') AS week,
    sum(clicks) AS clicks, sum(cost_micros) AS cost_micros
  FROM campaign_spend
  GROUP BY customer_id, campaign_id, currency, week
),
account_weeks AS (
  SELECT customer_id, date(date, 'weekday 0', '-6 days') AS week, count(DISTINCT date) AS days
  FROM campaign_spend
  GROUP BY customer_id, week
),
newest AS (
  SELECT customer_id, campaign_id, max(date) AS date FROM campaign_spend GROUP BY customer_id, campaign_id
),
named AS (
  SELECT customer_id, campaign_id, campaign_name FROM newest JOIN campaign_spend USING (customer_id, campaign_id, date)
)
SELECT customer_id, campaign_id, campaign_name, week, clicks, cost_micros, currency,
  CASE WHEN min(days) OVER both_weeks = 7 THEN clicks * 1.0 / lag(clicks) OVER both_weeks - 1 END AS clicks_change, days
FROM weeks LEFT JOIN named USING (customer_id, campaign_id) JOIN account_weeks USING (customer_id, week)
WINDOW both_weeks AS (PARTITION BY customer_id, campaign_id ORDER BY week ROWS 1 PRECEDING)
