const CAMPAIGN_STATUSES = ['ENABLED', 'PAUSED', 'REMOVED'] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

export function parseCampaignStatus(text: string | undefined): CampaignStatus | undefined {
  return CAMPAIGN_STATUSES.find((status) => status === text);
}
