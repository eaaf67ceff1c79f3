SELECT campaign.id, campaign.name:$upper AS name FROM campaign
