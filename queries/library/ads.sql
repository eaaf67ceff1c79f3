-- Ads with type and strength.
SELECT
  campaign.id,
  campaign.name,
  ad_group.id,
  ad_group.name,
  ad_group_ad.ad.id,
  ad_group_ad.ad.type,
  ad_group_ad.status,
  ad_group_ad.ad_strength
FROM ad_group_ad
WHERE ad_group_ad.status != REMOVED
