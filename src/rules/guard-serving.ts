import type { CampaignStatus } from '../domain/campaign-status.ts';
import { type Refusal, refused } from './refusal.ts';
import type { Rule } from './rule.ts';
import { doesNotServe, type StoppedCampaign } from './what-serves.ts';

/** The refusal of a change for campaigns of which the rule changes no budget now; undefined where one of them runs. */
export function notServing(
  rule: Rule,
  campaigns: readonly { readonly label: string; readonly status?: CampaignStatus | undefined }[],
): Refusal | undefined {
  const stopped = campaigns.flatMap(({ label, status }) =>
    status !== undefined && status !== 'ENABLED' && doesNotServe(rule, status) ? [{ label, status }] : [],
  );
  if (stopped.length === 0 || stopped.length < campaigns.length) return undefined;
  const mayCount = stopped.some(({ status }) => status === 'PAUSED') ? COUNT_PAUSED : '';
  return refused('NOT_SERVING', `None of its campaigns runs now: ${stoppedWords(stopped)}.${mayCount}`);
}

const COUNT_PAUSED = ' With include_paused: true in the rule, paused campaigns count.';

const NAMED_MAX = 3;

/** "Old (campaign 5) is removed, Hats (campaign 6) is paused and 2 more do not run". */
function stoppedWords(campaigns: readonly StoppedCampaign[]): string {
  const named = campaigns.slice(0, NAMED_MAX).map(({ label, status }) => `${label} is ${status.toLowerCase()}`);
  const rest = campaigns.length - named.length;
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more ${rest === 1 ? 'does' : 'do'} not run` : ''}`;
}
