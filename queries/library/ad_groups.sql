-- Ad groups with type and status.
SELECT
  campaign.id,
  campaign.name,
  ad_group.id,
  ad_group.name,
  ad_group.status,
  ad_group.type
FROM ad_group
WHERE ad_group.status != REMOVED
ORDER BY ad_group.id
