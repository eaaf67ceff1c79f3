import type { Selectable, Selection } from 'kysely';
import type { StateSchema } from '../state-schema.ts';
import { columnFacts } from './audit-chain.ts';

export const DECIDED_COLUMNS = [
  'customerId',
  'budgetId',
  // NULL if the rule made one decision for several campaigns.
  'campaignId',
  'campaignName',
  // The day of the account's calendar for which the change counts.
  'accountDay',
  'currency',
  'rule',
  // Empty for changes by versions that did not record the rule's version.
  'ruleVersion',
  // Micros. `from` is the amount at the decision, `to` the new amount, not a difference.
  'fromMicros as from',
  'toMicros as to',
  // Says whether `from` was read from the interface or declared in the settings.
  'amountSource',
  'declaredMicros as declared',
  // The rule's lowest and highest amount. An undo must respect them too.
  'floorMicros as floor',
  'ceilingMicros as ceiling',
  'reason',
] as const;

/** The alert contains these columns. The audit trail does not. */
export const ALERT_COLUMNS = ['alertText', 'alertSeverity'] as const;

export type ChangeAlert = Readonly<Selection<StateSchema, 'budgetIntent', (typeof ALERT_COLUMNS)[number]>>;

export type DecidedChange = Readonly<Selection<StateSchema, 'budgetIntent', (typeof DECIDED_COLUMNS)[number]>> &
  Partial<ChangeAlert> & {
    /** Stored only in the event of the decision. */
    readonly decidedOn?: DecidedOn | undefined;
    /** For places that already show the amounts. Also stored in the event. */
    readonly reasonWithoutAmounts?: string | undefined;
  };

export interface DecidedOn {
  readonly subjectKind: NonNullable<Selectable<StateSchema['decision']>['subjectKind']>;
  /** For people, such as "Trail Shoes (campaign 21)". */
  readonly subject: string;
  /** The numbers behind the decision, from its JSON. Undefined if they were not recorded. */
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
