-- Who changed which budget, 14 days and today.
SELECT
  change_event.resource_name,
  change_event.change_date_time,
  change_event.user_email,
  change_event.client_type,
  change_event.change_resource_name,
  change_event.old_resource,
  change_event.new_resource
FROM change_event
WHERE change_event.change_date_time BETWEEN :today-14 AND :today+1
  AND change_event.change_resource_type = CAMPAIGN_BUDGET
ORDER BY change_event.change_date_time DESC
LIMIT 10000
