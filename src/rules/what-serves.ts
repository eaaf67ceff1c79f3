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
export function leavesOut({ change, includePaused }: Rule, status: CampaignStatus | undefined): boolean {
  if (change === undefined || change.kind === 'pace') return false;
  return status === 'REMOVED' || (status === 'PAUSED' && !includePaused);
}

/** Whether none of the campaigns is one that the rule decides by. */
export function allLeftOut(rule: Rule, campaigns: readonly { readonly status: CampaignStatus | undefined }[]): boolean {
  return campaigns.length > 0 && campaigns.every(({ status }) => leavesOut(rule, status));
}

const NAMED_MAX = 3;

/** "Old (campaign 5) is removed, Hats (campaign 6) is paused and 2 more do not run". */
export function stoppedWords(campaigns: readonly StoppedCampaign[]): string {
  const named = campaigns.slice(0, NAMED_MAX).map(({ label, status }) => `${label} is ${status.toLowerCase()}`);
  const rest = campaigns.length - named.length;
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more ${rest === 1 ? 'does' : 'do'} not run` : ''}`;
}

/** "without Old (campaign 5) (removed), Hats (campaign 6) (paused) and 2 more". */
export function leftOutWords(campaigns: readonly StoppedCampaign[]): string {
  const named = campaigns.slice(0, NAMED_MAX).map(({ label, status }) => `${label} (${status.toLowerCase()})`);
  const rest = campaigns.length - named.length;
  return `without ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
