import type { CampaignStatus } from '../../domain/campaign-status.ts';
import type { Rule } from '../rule.ts';
import { type Refusal, refused, type StoppedCampaign } from './refusal.ts';

/**
 * Whether the rule decides without a campaign of that status; undefined is a status that nobody knows. Alerts are about
 * every campaign, and a month counts what every campaign has cost.
 */
export function leavesOut(rule: Rule, status: CampaignStatus | undefined): boolean {
  return rule.change !== undefined && rule.change.kind !== 'pace' && doesNotServe(rule, status);
}

function doesNotServe({ includePaused }: Rule, status: CampaignStatus | undefined): boolean {
  return status === 'REMOVED' || (status === 'PAUSED' && !includePaused);
}

const NAMED_MAX = 3;

/** "without Old (campaign 5) (removed), Hats (campaign 6) (paused) and 2 more". */
export function leftOutWords(campaigns: readonly StoppedCampaign[]): string {
  const named = campaigns.slice(0, NAMED_MAX).map(({ label, status }) => `${label} (${status.toLowerCase()})`);
  const rest = campaigns.length - named.length;
  return `without ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** The refusal of a change for campaigns of which the rule changes no budget now; undefined where one of them runs. */
export function notServing(
  rule: Rule,
  campaigns: readonly { readonly label: string; readonly status?: CampaignStatus | undefined }[],
): Refusal | undefined {
  const stopped = campaigns.flatMap(({ label, status }) =>
    status !== undefined && status !== 'ENABLED' && doesNotServe(rule, status) ? [{ label, status }] : [],
  );
  if (stopped.length === 0 || stopped.length < campaigns.length) return undefined;
  const paused = stopped.filter(({ status }) => status === 'PAUSED').length;
  return refused('NOT_SERVING', { campaigns: stopped.slice(0, NAMED_MAX), count: stopped.length, paused });
}
