/** A question of docs/bi.md, in the SQL of a published file. Explore shows those whose tables exist. */
interface GalleryQuestion {
  readonly title: string;
  readonly about: string;
  readonly reads: readonly string[];
  readonly sql: string;
  /** The fields of an address that draws the answer. */
  readonly chart?: Readonly<Record<string, string>>;
}

export const GALLERY: readonly GalleryQuestion[] = [
  {
    title: 'What did each account spend per week?',
    about: 'Compare only weeks whose column complete is 1.',
    reads: ['account', 'campaign_spend_by_week'],
    chart: { x: 'week', y: 'cost', series: 'name', kind: 'stacked' },
    sql: `SELECT week, account.name, round(sum(cost_micros) / 1e6, 2) AS cost, account.currency, max(days) AS days,
  max(days_complete) AS days_complete, max(complete) AS complete
FROM campaign_spend_by_week JOIN account USING (customer_id)
GROUP BY week, customer_id
ORDER BY week, account.name`,
  },
  {
    title: "Which campaigns take the largest share of their account's spend this month?",
    about: 'The ten largest shares of this month so far.',
    reads: ['account', 'campaign_spend_by_month'],
    chart: { x: 'campaign_name', y: 'cost', series: '', kind: 'bar' },
    sql: `SELECT account.name, campaign_name, cost, campaign_spend_by_month.currency, round(100 * share_of_spend, 1) AS percent, days
FROM campaign_spend_by_month JOIN account USING (customer_id)
WHERE month = (SELECT max(month) FROM campaign_spend_by_month)
ORDER BY share_of_spend DESC
LIMIT 10`,
  },
  {
    title: 'Where is the price of a click going?',
    about: 'The price per week, and its change from the week before.',
    reads: ['account', 'campaign_spend_by_week'],
    chart: { x: 'week', y: 'cpc', series: 'name', kind: 'line' },
    sql: `WITH weekly AS (
  SELECT customer_id, week, currency, complete, sum(cost_micros) / 1e6 / nullif(sum(clicks), 0) AS cpc
  FROM campaign_spend_by_week
  GROUP BY customer_id, week
)
SELECT account.name, week, round(cpc, 2) AS cpc, weekly.currency, complete,
  round(100 * (cpc / lag(cpc) OVER (PARTITION BY customer_id ORDER BY week) - 1), 1) AS change_percent
FROM weekly JOIN account USING (customer_id)
ORDER BY account.name, week`,
  },
  {
    title: 'Which keywords are shown, or even cost something, without a click?',
    about: 'The last 30 days. Expensive keywords come first.',
    reads: ['account', 'dim_ad_group', 'dim_keyword', 'keyword_stats'],
    sql: `SELECT account.name, dim_keyword.ad_group_criterion_keyword_text AS keyword, dim_ad_group.ad_group_name AS ad_group,
  sum(impressions) AS impressions, sum(cost_micros) / 1e6 AS cost
FROM keyword_stats
JOIN dim_keyword USING (customer_id, ad_group_id, ad_group_criterion_criterion_id)
JOIN dim_ad_group USING (customer_id, ad_group_id)
JOIN account USING (customer_id)
WHERE date > date((SELECT max(date) FROM keyword_stats), '-30 days')
GROUP BY customer_id, ad_group_id, ad_group_criterion_criterion_id
HAVING sum(clicks) = 0
ORDER BY cost DESC, impressions DESC
LIMIT 20`,
  },
  {
    title: 'Which weekdays are strong?',
    about: 'Only complete days count.',
    reads: ['dim_calendar', 'v_campaign_day'],
    chart: { x: 'weekday_name', y: 'clicks_per_day', series: '', kind: 'bar' },
    sql: `SELECT weekday, weekday_name, count(DISTINCT date) AS days, sum(clicks) / count(DISTINCT date) AS clicks_per_day,
  round(100.0 * sum(clicks) / sum(impressions), 2) AS ctr_percent
FROM v_campaign_day JOIN dim_calendar USING (date)
WHERE complete
GROUP BY weekday
ORDER BY weekday`,
  },
  {
    title: 'How does this month compare with the same days of the last one?',
    about: 'Both sums end with the newest complete day.',
    reads: ['account', 'account_day', 'campaign_spend_by_day'],
    sql: `WITH read AS (
  SELECT customer_id, date, max(date) OVER (PARTITION BY customer_id) AS newest
  FROM account_day
  WHERE query = 'campaign_spend' AND state = 'settled'
),
spend AS (
  SELECT customer_id, newest, date(read.date, 'start of month') AS month,
    count(DISTINCT read.date) AS days, sum(cost_micros) / 1e6 AS cost
  FROM read LEFT JOIN campaign_spend_by_day USING (customer_id, date)
  WHERE read.date >= date(newest, 'start of month', '-1 month') AND strftime('%d', read.date) <= strftime('%d', newest)
  GROUP BY customer_id, newest, month
),
whole AS (
  SELECT customer_id, cost, month = date(newest, 'start of month') AS is_this_month
  FROM spend
  WHERE days = min(CAST(strftime('%d', newest) AS INTEGER), CAST(strftime('%d', month, '+1 month', '-1 day') AS INTEGER))
)
SELECT account.name, max(cost) FILTER (WHERE is_this_month) AS this_month,
  max(cost) FILTER (WHERE NOT is_this_month) AS last_month, account.currency,
  round(100.0 * max(cost) FILTER (WHERE is_this_month) / nullif(max(cost) FILTER (WHERE NOT is_this_month), 0) - 100, 1)
    AS change_percent
FROM account LEFT JOIN whole USING (customer_id)
GROUP BY customer_id
ORDER BY account.name`,
  },
  {
    title: 'Which days are missing or may still change?',
    about: 'Numbers of these days are not final.',
    reads: ['account', 'account_day'],
    sql: `SELECT query, account.name, date, state, read_at
FROM account_day JOIN account USING (customer_id)
WHERE state <> 'settled'
ORDER BY date, query, account.name`,
  },
  {
    title: 'Which past days were restated, and by how much?',
    about: 'The first and the newest reading of each day.',
    reads: ['account', 'day_reading'],
    sql: `SELECT query, account.name, date, count(*) - 1 AS restatements, max(days_after) AS days_after,
  max(CASE WHEN newest THEN clicks END) - max(CASE WHEN reading = 1 THEN clicks END) AS clicks_change,
  (max(CASE WHEN newest THEN cost_micros END) - max(CASE WHEN reading = 1 THEN cost_micros END)) / 1e6 AS cost_change,
  account.currency
FROM (SELECT *, reading = max(reading) OVER (PARTITION BY query, customer_id, date) AS newest FROM day_reading)
JOIN account USING (customer_id)
GROUP BY query, customer_id, date
HAVING count(*) > 1
ORDER BY abs(cost_change) DESC`,
  },
  {
    title: 'Who changed which budget, when and why?',
    about: 'Every change that was made, newest first.',
    reads: ['account', 'budget_change', 'run'],
    sql: `SELECT changed_at, account.name, campaign_name, from_amount, to_amount, budget_change.currency, rule, actor, reason, run_id, command
FROM budget_change
JOIN account USING (customer_id)
LEFT JOIN run ON run.id = run_id
ORDER BY changed_at DESC, budget_change.id DESC`,
  },
  {
    title: 'Are the numbers fresh, and what failed?',
    about: 'The last run, and accounts that it could not read.',
    reads: ['account', 'as_of', 'keyword_stats', 'run', 'run_account'],
    sql: `WITH last AS (SELECT * FROM run WHERE command IN ('report', 'extract') ORDER BY id DESC LIMIT 1)
SELECT as_of, as_of.target, last.state AS last_run, last.started_at, last.failures,
  (SELECT max(date) FROM keyword_stats) AS newest_day,
  (SELECT group_concat(coalesce(account.name, customer_id) || ': ' || run_account.state || ', ' || reason, '; ')
    FROM run_account LEFT JOIN account USING (customer_id)
    WHERE run_id = last.id AND run_account.state <> 'read') AS accounts_not_read,
  last.error
FROM as_of CROSS JOIN last`,
  },
  {
    title: 'What was changed this month, by whom, and was it undone?',
    about: 'Daily budgets before and after, and the change that undid one.',
    reads: ['account', 'as_of', 'budget_change', 'budget_intent'],
    sql: `SELECT 'B' || made.id AS change, changed_at, account.name AS account, coalesce(campaign_name, 'budget ' || budget_id) AS budget,
  from_amount, to_amount, (to_micros - from_micros) / 1e6 AS difference, made.currency, actor, reason,
  (SELECT 'B' || undo.id || ' by ' || undo.actor FROM budget_intent AS undo
    WHERE undo.undoes = made.id AND undo.state IN ('applied', 'confirmed')) AS undone
FROM budget_change AS made
JOIN account USING (customer_id)
WHERE account_day >= (SELECT date(as_of, 'start of month') FROM as_of)
ORDER BY changed_at, made.id`,
  },
  {
    title: 'Which changes have no known outcome?',
    about: 'Plan with the higher amount until the outcome is known.',
    reads: ['account', 'budget_intent'],
    sql: `SELECT 'B' || budget_intent.id AS change, account.name AS account, coalesce(campaign_name, 'budget ' || budget_id) AS budget,
  from_amount, to_amount, max(from_amount, to_amount) AS at_most, budget_intent.currency, updated_at AS since, code, outcome
FROM budget_intent
JOIN account USING (customer_id)
WHERE budget_intent.state IN ('sending', 'unknown')
ORDER BY updated_at, budget_intent.id`,
  },
  {
    title: 'What did people change outside of pacekeeper?',
    about: 'Changes are dated when pacekeeper noticed them.',
    reads: ['account', 'budget_intent', 'foreign_change'],
    sql: `SELECT seen.seen_at, account.name AS account,
  coalesce((SELECT campaign_name FROM budget_intent AS known
    WHERE known.customer_id = seen.customer_id AND known.budget_id = seen.budget_id
    ORDER BY known.id DESC LIMIT 1), 'budget ' || budget_id) AS budget,
  expected_amount, found_amount, (found_micros - expected_micros) / 1e6 AS difference, account.currency, 'B' || intent_id AS stopped
FROM foreign_change AS seen
JOIN account USING (customer_id)
ORDER BY seen.seen_at, seen.id`,
  },
];
