import type { Selectable, Selection } from 'kysely';
import type { StateSchema } from '../state-schema.ts';
import { columnFacts } from './audit-chain.ts';

export const DECIDED_COLUMNS = [
  'customerId',
  'budgetId',
  // NULL if the rule made one decision for several campaigns.
  'campaignId',
  'campaignName',
  // The change counts for this day of the account's calendar.
  'accountDay',
  'currency',
  'rule',
  // Empty for changes from before rule versions were recorded.
  'ruleVersion',
  // `from` is the amount at the decision, `to` the absolute amount to set.
  'fromMicros as from',
  'toMicros as to',
  // Whether `from` was read from the interface or declared in the settings.
  'amountSource',
  'declaredMicros as declared',
  // The limits of the rule, which an undo must respect too.
  'floorMicros as floor',
  'ceilingMicros as ceiling',
  'reason',
] as const;

/** Sent with the change, but not part of the audit trail. */
export const ALERT_COLUMNS = ['alertText', 'alertSeverity'] as const;

export type ChangeAlert = Readonly<Selection<StateSchema, 'budgetIntent', (typeof ALERT_COLUMNS)[number]>>;

export type DecidedChange = Readonly<Selection<StateSchema, 'budgetIntent', (typeof DECIDED_COLUMNS)[number]>> &
  Partial<ChangeAlert> & {
    /** Stored only in the decision's event, not in its row. */
    readonly decidedOn?: DecidedOn | undefined;
    /** The reason to show where the amounts are already shown. Also stored in the event. */
    readonly reasonWithoutAmounts?: string | undefined;
  };

export interface DecidedOn {
  readonly subjectKind: NonNullable<Selectable<StateSchema['decision']>['subjectKind']>;
  /** For people, such as "Trail Shoes (campaign 21)". */
  readonly subject: string;
  /** The numbers behind the decision, from JSON. Undefined if they were not recorded. */
  readonly numbers: readonly unknown[] | undefined;
}

export function decidedColumns(change: DecidedChange) {
  return {
    customerId: change.customerId,
    budgetId: change.budgetId,
    campaignId: change.campaignId,
    campaignName: change.campaignName,
    accountDay: change.accountDay,
    currency: change.currency,
    rule: change.rule,
    ruleVersion: change.ruleVersion,
    fromMicros: change.from,
    toMicros: change.to,
    amountSource: change.amountSource,
    declaredMicros: change.declared,
    floorMicros: change.floor,
    ceilingMicros: change.ceiling,
    reason: change.reason,
  };
}

export function decidedFacts(change: DecidedChange): Readonly<Record<string, string | null>> {
  return columnFacts(decidedColumns(change));
}

export function decidedOnFacts({
  decidedOn,
  reasonWithoutAmounts,
}: Pick<DecidedChange, 'decidedOn' | 'reasonWithoutAmounts'>): Readonly<Record<string, unknown>> {
  return {
    subject_kind: decidedOn?.subjectKind,
    subject: decidedOn?.subject,
    numbers: decidedOn?.numbers,
    reason_without_amounts: reasonWithoutAmounts,
  };
}
