import type { CampaignStatus } from '../domain/campaign-status.ts';
import { type Refusal, refused } from './refusal.ts';
import type { Rule } from './rule.ts';
import { doesNotServe } from './what-serves.ts';

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

const NAMED_MAX = 3;
