-- Campaigns with status, channel and bidding.
SELECT
  campaign.id,
  campaign.name,
  campaign.status,
  campaign.advertising_channel_type,
  campaign.bidding_strategy_type
FROM campaign
WHERE campaign.status != REMOVED
ORDER BY campaign.id
