import type { Selectable, Selection } from 'kysely';
import type { StateSchema } from '../state-schema.ts';
import { columnFacts } from './audit-chain.ts';

/** What intents and proposals say of the change that was decided, and what the rule tells people of its subject. */
export const DECIDED_COLUMNS = [
  'customerId',
  'budgetId',
  // NULL where the rule decided on more than one campaign.
  'campaignId',
  'campaignName',
  // The account's calendar day that the change counts for.
  'accountDay',
  'currency',
  'rule',
  // Which wording of the rule decided; empty for a change from before that was written down.
  'ruleVersion',
  // The amount the decision was made on, and the absolute amount to set.
  'fromMicros as from',
  'toMicros as to',
  // Whether `from` was read from the interface or is declared in the settings.
  'amountSource',
  'declaredMicros as declared',
  // The limits of the rule, which an undo must respect too.
  'floorMicros as floor',
  'ceilingMicros as ceiling',
  // Why, with the numbers it was decided on.
  'reason',
] as const;

/** Told with the change, and no part of the audit trail. */
export const ALERT_COLUMNS = ['alertText', 'alertSeverity'] as const;

/** A rule's alert with its values. */
export type ChangeAlert = Readonly<Selection<StateSchema, 'budgetIntent', (typeof ALERT_COLUMNS)[number]>>;

export type DecidedChange = Readonly<Selection<StateSchema, 'budgetIntent', (typeof DECIDED_COLUMNS)[number]>> &
  Partial<ChangeAlert> & {
    /** For the event that tells of the decision; its row does not hold it. */
    readonly decidedOn?: DecidedOn | undefined;
    /** For the same event: the reason where the amounts stand beside it. */
    readonly reasonWithoutAmounts?: string | undefined;
  };

/** What a rule was evaluated for, and the numbers that decided. */
export interface DecidedOn {
  readonly subjectKind: NonNullable<Selectable<StateSchema['decision']>['subjectKind']>;
  /** For people: "Trail Shoes (campaign 21)". */
  readonly subject: string;
  /** JSON data; undefined where it was not recorded. */
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

/** The change by the names of its columns, as events tell it. */
export function decidedFacts(change: DecidedChange): Readonly<Record<string, string | null>> {
  return columnFacts(decidedColumns(change));
}

/** The same by the names of the columns of the ledger. */
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
