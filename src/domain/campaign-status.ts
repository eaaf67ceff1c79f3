const CAMPAIGN_STATUSES = ['ENABLED', 'PAUSED', 'REMOVED'] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

/** Undefined for any other text, such as UNKNOWN or UNSPECIFIED. */
export function parseCampaignStatus(text: string | undefined): CampaignStatus | undefined {
  return CAMPAIGN_STATUSES.find((status) => status === text);
}
