import type { CampaignStatus } from '../domain/campaign-status.ts';
import type { Rule } from './rule.ts';

/** A campaign that does not run now, and what it is called. */
export interface StoppedCampaign {
  readonly label: string;
  readonly status: Exclude<CampaignStatus, 'ENABLED'>;
}

/**
 * Whether the rule decides without a campaign of that status; undefined is a status that nobody knows. Alerts are about
 * every campaign, and a month counts what every campaign has cost.
 */
export function leavesOut(rule: Rule, status: CampaignStatus | undefined): boolean {
  return rule.change !== undefined && rule.change.kind !== 'pace' && doesNotServe(rule, status);
}

/** Whether the rule changes no budget for a campaign of that status. */
export function doesNotServe({ includePaused }: Rule, status: CampaignStatus | undefined): boolean {
  return status === 'REMOVED' || (status === 'PAUSED' && !includePaused);
}

const NAMED_MAX = 3;

/** "without Old (campaign 5) (removed), Hats (campaign 6) (paused) and 2 more". */
export function leftOutWords(campaigns: readonly StoppedCampaign[]): string {
  const named = campaigns.slice(0, NAMED_MAX).map(({ label, status }) => `${label} (${status.toLowerCase()})`);
  const rest = campaigns.length - named.length;
  return `without ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
