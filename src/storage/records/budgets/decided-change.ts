import type { Selectable, Selection } from 'kysely';
import type { StateSchema } from '../state-schema.ts';
import { columnFacts } from './audit-chain.ts';

export const DECIDED_COLUMNS = [
  'customerId',
  'budgetId',
  // NULL if the decision concerns several campaigns.
  'campaignId',
  'campaignName',
  // A day in the account's time zone.
  'accountDay',
  'currency',
  'rule',
  // Empty for changes by old versions of pacekeeper.
  'ruleVersion',
  // Micros. `from` is the amount at the decision, `to` is the new amount.
  'fromMicros as from',
  'toMicros as to',
  // Says whether `from` comes from the service or from the settings.
  'amountSource',
  'declaredMicros as declared',
  // The rule's lowest and highest amount, in micros. An undo must respect both limits.
  'floorMicros as floor',
  'ceilingMicros as ceiling',
  'reason',
] as const;

/** The audit trail does not contain these columns. */
export const ALERT_COLUMNS = ['alertText', 'alertSeverity'] as const;

export type ChangeAlert = Readonly<Selection<StateSchema, 'budgetIntent', (typeof ALERT_COLUMNS)[number]>>;

export type DecidedChange = Readonly<Selection<StateSchema, 'budgetIntent', (typeof DECIDED_COLUMNS)[number]>> &
  Partial<ChangeAlert> & {
    /** Stored in the event, not in the change. */
    readonly decidedOn?: DecidedOn | undefined;
    readonly reasonWithoutAmounts?: string | undefined;
  };

export interface DecidedOn {
  readonly subjectKind: NonNullable<Selectable<StateSchema['decision']>['subjectKind']>;
  /** A name for people, such as "Trail Shoes (campaign 21)". */
  readonly subject: string;
  /** The numbers behind the decision. Undefined if the numbers were not recorded. */
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
