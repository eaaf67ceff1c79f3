import type { AlertSeverity } from '../../domain/channel.ts';
import { civilDateAt } from '../../domain/civil-date.ts';
import { outsideText } from '../../domain/outside-text.ts';
import type { LastNotification, Notification } from '../../language/rules/decide-notification.ts';
import type { Notified } from '../../storage/records/alerts/alert-table.ts';
import { type UnseenProposal, unseenProposal } from '../../storage/records/alerts/condition-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import type { Account } from '../../storage/records/runs/account-table.ts';
import { describeAccount } from '../budgets/describe-change.ts';

export function lastNotification({ at, as, severity }: Notified, firedAt = at): LastNotification {
  return {
    firedAtMs: Date.parse(firedAt),
    notifiedAtMs: Date.parse(at),
    notifiedAs: as,
    notifiedSeverity: severity,
  };
}

/** In UTF-16 units. A longer reason would leave too little space for other alerts. */
const WHY_LENGTH_MAX = 160;

export interface ConditionSays {
  readonly kind: Exclude<Notification['kind'], 'nothing'>;
  readonly rule: string;
  readonly severity: AlertSeverity;
  readonly text: string;
  /** The condition with its numbers, or the current state of a resolved condition. */
  readonly why: string | undefined;
  /** Lines about the suggested changes. */
  readonly would?: readonly string[] | undefined;
  /** The last recorded start of the condition in UTC. Undefined if the condition is new. */
  readonly since: string | undefined;
  /** Undefined if the condition begins now. */
  readonly conditionId: bigint | undefined;
}

export async function conditionText(
  db: StateDb,
  account: Pick<Account, 'customerId' | 'name' | 'timeZone'>,
  { kind, rule, severity, text, why, would = [], since, conditionId }: ConditionSays,
  nowMs: number,
): Promise<string> {
  const begun = since && civilDateAt(Date.parse(since), account.timeZone ?? 'UTC');
  const words = {
    first: text,
    repeat: `Still true since ${begun}: ${text}`,
    escalated: `Now ${severity}: ${text}`,
    // The text describes the last day on which the rule fired.
    resolved: `Resolved (began ${begun}): ${text}`,
  };
  const isUntold = kind === 'first' && conditionId !== undefined;
  const unseen = isUntold ? await unseenProposal(db, conditionId, nowMs) : undefined;
  const over = why === undefined ? [] : [outsideText(why, WHY_LENGTH_MAX)];
  const whyLines = kind === 'resolved' ? over : [whyLine(why ?? unseen?.reason, begun)];
  return [
    words[kind],
    ...would,
    ...whyLines,
    ...(unseen ? [`The change ${unseen.code} awaited approval. It ${HOW_IT_ENDED[unseen.state]}.`] : []),
    `${describeAccount(account.customerId, account)}, rule ${rule}`,
  ].join('\n');
}

function whyLine(reason: string | undefined, begun: string | undefined): string {
  return reason === undefined ? `Since ${begun}.` : `Why: ${outsideText(reason, WHY_LENGTH_MAX)}`;
}

const HOW_IT_ENDED: Readonly<Record<UnseenProposal['state'], string>> = {
  expired: 'expired before it was reported',
  superseded: 'became outdated before it was reported',
  rejected: 'was rejected before it was reported',
};
