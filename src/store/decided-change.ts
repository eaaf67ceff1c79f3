import type { AlertSeverity } from '../domain/channel.ts';
import { type CivilDate, civilDate } from '../domain/civil-date.ts';
import { type BudgetId, budgetId, type CampaignId, type CustomerId, campaignId, customerId } from '../domain/ids.ts';
import { type Micros, micros } from '../domain/micros.ts';
import type { Decided, ToldWith } from './schema.ts';

/** What intents and proposals say of the change that was decided. */
export interface DecidedChange {
  readonly customerId: CustomerId;
  readonly budgetId: BudgetId;
  /** Undefined where the rule decided on more than one campaign. */
  readonly campaignId: CampaignId | undefined;
  readonly campaignName: string | undefined;
  /** The account's calendar day that the change counts for. */
  readonly accountDay: CivilDate;
  readonly currency: string;
  readonly rule: string;
  /** Which wording of the rule decided; empty for one of before that was written down. */
  readonly ruleVersion: string;
  /** The amount the decision was made on. */
  readonly from: Micros;
  /** The amount to set, absolute. */
  readonly to: Micros;
  /** Whether `from` was read from the interface or is declared in the settings. */
  readonly amountSource: 'read' | 'declared';
  /** What the settings declared for the budget at that time. */
  readonly declared: Micros | undefined;
  /** The limits of the rule, which an undo must respect too. */
  readonly floor: Micros | undefined;
  readonly ceiling: Micros | undefined;
  /** Why, with the numbers it was decided on. */
  readonly reason: string;
  /** What the rule tells people of the subject: told with the change, and no part of the audit trail. */
  readonly alert?: ChangeAlert | undefined;
  /** For the event that tells of the decision; its row does not hold it. */
  readonly decidedOn?: DecidedOn | undefined;
}

/** What a rule was evaluated for, and the numbers that decided. */
export interface DecidedOn {
  readonly subjectKind: 'account' | 'budget' | 'campaign' | 'ad_group' | 'keyword';
  /** For people: "Trail Shoes (campaign 21)". */
  readonly subject: string;
  /** JSON data; undefined where it was not recorded. */
  readonly numbers: readonly unknown[] | undefined;
}

/** A rule's alert with its values. */
export interface ChangeAlert {
  readonly text: string;
  readonly severity: AlertSeverity;
}

export function alertColumns({ alert }: DecidedChange): ToldWith {
  return { alert_text: alert?.text ?? null, alert_severity: alert?.severity ?? null };
}

export function decidedColumns(runId: bigint | undefined, change: DecidedChange): Decided {
  return {
    run_id: runId ?? null,
    customer_id: BigInt(change.customerId),
    budget_id: BigInt(change.budgetId),
    campaign_id: change.campaignId === undefined ? null : BigInt(change.campaignId),
    campaign_name: change.campaignName ?? null,
    account_day: change.accountDay,
    currency: change.currency,
    rule: change.rule,
    rule_version: change.ruleVersion,
    from_micros: change.from,
    to_micros: change.to,
    amount_source: change.amountSource,
    declared_micros: change.declared ?? null,
    floor_micros: change.floor ?? null,
    ceiling_micros: change.ceiling ?? null,
    reason: change.reason,
  };
}

export function toDecidedChange(row: Decided & ToldWith): DecidedChange {
  return {
    customerId: customerId(row.customer_id.toString()),
    budgetId: budgetId(row.budget_id.toString()),
    campaignId: row.campaign_id === null ? undefined : campaignId(row.campaign_id.toString()),
    campaignName: row.campaign_name ?? undefined,
    accountDay: civilDate(row.account_day),
    currency: row.currency,
    rule: row.rule,
    ruleVersion: row.rule_version,
    from: micros(row.from_micros),
    to: micros(row.to_micros),
    amountSource: row.amount_source,
    declared: toMicros(row.declared_micros),
    floor: toMicros(row.floor_micros),
    ceiling: toMicros(row.ceiling_micros),
    reason: row.reason,
    alert: toAlert(row),
  };
}

function toAlert({ alert_text: text, alert_severity: severity }: ToldWith): ChangeAlert | undefined {
  return text === null || severity === null ? undefined : { text, severity };
}

function toMicros(value: bigint | null): Micros | undefined {
  return value === null ? undefined : micros(value);
}

/** The change by the names of its columns, as events tell it: amounts and ids as text. */
export function decidedFacts(change: DecidedChange): Readonly<Record<string, string | null>> {
  const { run_id: _run, ...columns } = decidedColumns(undefined, change);
  const entries = Object.entries(columns);
  return Object.fromEntries(entries.map(([name, value]) => [name, value === null ? null : String(value)]));
}

/** The same by the names of the columns of the ledger. */
export function decidedOnFacts(decidedOn: DecidedOn | undefined): Readonly<Record<string, unknown>> {
  return { subject_kind: decidedOn?.subjectKind, subject: decidedOn?.subject, numbers: decidedOn?.numbers };
}
