import type { Selectable, Selection } from 'kysely';
import type { StateSchema } from '../state-schema.ts';
import { columnFacts } from './audit-chain.ts';

export const DECIDED_COLUMNS = [
  'customerId',
  'budgetId',
  // NULL if the rule decided on several campaigns.
  'campaignId',
  'campaignName',
  // The account's calendar day that the change counts for.
  'accountDay',
  'currency',
  'rule',
  // Empty for a change from before versions were recorded.
  'ruleVersion',
  // `from` is the amount of the decision, `to` the absolute amount to set.
  'fromMicros as from',
  'toMicros as to',
  // Whether `from` was read from the interface or is declared in the settings.
  'amountSource',
  'declaredMicros as declared',
  // The rule's limits, which an undo must respect too.
  'floorMicros as floor',
  'ceilingMicros as ceiling',
  'reason',
] as const;

/** Told with the change, but not part of the audit trail. */
export const ALERT_COLUMNS = ['alertText', 'alertSeverity'] as const;

export type ChangeAlert = Readonly<Selection<StateSchema, 'budgetIntent', (typeof ALERT_COLUMNS)[number]>>;

export type DecidedChange = Readonly<Selection<StateSchema, 'budgetIntent', (typeof DECIDED_COLUMNS)[number]>> &
  Partial<ChangeAlert> & {
    /** For the decision's event; its row does not hold it. */
    readonly decidedOn?: DecidedOn | undefined;
    /** As above: the reason to show beside the amounts. */
    readonly reasonWithoutAmounts?: string | undefined;
  };

export interface DecidedOn {
  readonly subjectKind: NonNullable<Selectable<StateSchema['decision']>['subjectKind']>;
  /** For people: "Trail Shoes (campaign 21)". */
  readonly subject: string;
  /** JSON data; undefined if not recorded. */
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
