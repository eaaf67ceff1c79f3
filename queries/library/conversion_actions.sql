-- Conversion actions, and which ones count.
SELECT
  conversion_action.id,
  conversion_action.name,
  conversion_action.type,
  conversion_action.category,
  conversion_action.status,
  conversion_action.include_in_conversions_metric,
  conversion_action.click_through_lookback_window_days
FROM conversion_action
WHERE conversion_action.status != REMOVED
ORDER BY conversion_action.id
