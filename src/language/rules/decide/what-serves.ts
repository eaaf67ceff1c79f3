import type { CampaignStatus } from '../../../domain/campaign-status.ts';
import type { Rule } from '../rule.ts';
import { type Refusal, refused, type StoppedCampaign } from './refusal.ts';

export function leavesOut(rule: Rule, status: CampaignStatus | undefined): boolean {
  return rule.change !== undefined && rule.change.kind !== 'pace' && doesNotServe(rule, status);
}

function doesNotServe({ includePaused }: Pick<Rule, 'includePaused'>, status: CampaignStatus | undefined): boolean {
  return status === 'REMOVED' || (status === 'PAUSED' && !includePaused);
}

const NAMED_MAX = 3;

export function leftOutWords(campaigns: readonly StoppedCampaign[]): string {
  const named = campaigns.slice(0, NAMED_MAX).map(({ label, status }) => `${label} (${status.toLowerCase()})`);
  const rest = campaigns.length - named.length;
  return `without ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

export function notServing(
  rule: Pick<Rule, 'includePaused'>,
  campaigns: readonly { readonly label: string; readonly status?: CampaignStatus | undefined }[],
): Refusal | undefined {
  const stopped = campaigns.flatMap(({ label, status }) =>
    status !== undefined && status !== 'ENABLED' && doesNotServe(rule, status) ? [{ label, status }] : [],
  );
  if (stopped.length === 0 || stopped.length < campaigns.length) return undefined;
  const paused = stopped.filter(({ status }) => status === 'PAUSED').length;
  return refused('NOT_SERVING', { campaigns: stopped.slice(0, NAMED_MAX), count: stopped.length, paused });
}
