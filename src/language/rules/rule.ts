import type { AlertSeverity } from '../../domain/channel.ts';
import type { Span } from '../../domain/diagnostic.ts';
import { InputError } from '../../domain/errors.ts';
import type { Micros } from '../../domain/micros.ts';
import type { Rational } from '../../domain/rational.ts';
import type { Column } from '../gaql/check/column.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import type { CheckedCondition, CheckedValue } from './check/checked-expression.ts';
import type { Window } from './language/window.ts';
import type { Pace } from './pacing/pace.ts';

/** From narrow to wide: `propose` only suggests a change, `approve` asks a person first, `apply` makes the change. */
export const MODES = ['propose', 'approve', 'apply'] as const;
export type Mode = (typeof MODES)[number];

export function narrower(a: Mode, b: Mode): Mode {
  return MODES.indexOf(a) < MODES.indexOf(b) ? a : b;
}

/** Ad groups and keywords have no budget of their own, so their rules can only alert. */
export const SUBJECTS = ['campaign', 'budget', 'account', 'ad_group', 'keyword'] as const;
export type SubjectKind = (typeof SUBJECTS)[number];

/** `text` is the query fingerprint. */
export interface ReadQuery {
  readonly name: string;
  readonly text: string;
}

export interface RuleModel {
  readonly name: string;
  /** Names of the models that it reads, directly or through others. */
  readonly models: readonly string[];
  readonly columns: readonly Column[];
  /** SQL of all rows, or only of those that an account has on one day. */
  select(
    schemas: { readonly records: string; readonly stored: string },
    oneDay?: { readonly account: string; readonly day: string },
  ): string;
}

export interface ModelTable extends Pick<QueryFile, 'name' | 'columns' | 'limit' | 'window'> {
  readonly resource: undefined;
  readonly reads: readonly ReadQuery[];
  readonly model: RuleModel;
  readonly isTimeless: boolean;
  readonly usesConversions: boolean;
}

export type RuleTable = QueryFile | ModelTable;

export interface Written<Tree> {
  readonly tree: Tree;
  readonly text: string;
}

export interface Rule {
  readonly name: string;
  /** Twelve hex digits of the SHA-256 of the file's text. */
  readonly version: string;
  readonly description: string;
  readonly from: string;
  /** The query itself, or the queries that the model reads. */
  readonly reads: readonly ReadQuery[];
  readonly model: RuleModel | undefined;
  readonly columns: readonly Column[];
  readonly for: SubjectKind;
  readonly where: Written<CheckedCondition> | undefined;
  readonly over: Window | undefined;
  readonly when: Written<CheckedCondition> | undefined;
  readonly lastingDays: number;
  /** If true, the rule waits for late conversions. */
  readonly usesConversions: boolean;
  /** From the rule's file. If undefined, the settings decide. */
  readonly conversionDays: number | undefined;
  readonly change: BudgetChange | undefined;
  readonly limits: Limits;
  /** Removed campaigns never count. */
  readonly includePaused: boolean;
  readonly alert: Alert | undefined;
  readonly currency: string | undefined;
  /** Position of the first amount in the file. */
  readonly amountAt: Span | undefined;
  readonly mode: Mode;
  /** The target whose part in one account this rule is. */
  readonly target?: string;
  /** If true, the target is split by the return of its accounts. */
  readonly byReturn?: boolean;
}

/** Number of days until a day's numbers and conversions are complete. */
export interface DaysUntilComplete {
  readonly table: number;
  readonly conversions: number;
}

export function daysUntilComplete(
  { usesConversions, conversionDays }: Pick<Rule, 'usesConversions' | 'conversionDays'>,
  { table, conversions }: DaysUntilComplete,
): number {
  return usesConversions ? Math.max(table, conversionDays ?? conversions) : table;
}

/** Rules with the same key read the same complete days of the same table. */
export function daysKey({ from, reads, usesConversions, conversionDays }: Rule): string {
  return [from, ...reads.map(({ text }) => text), usesConversions, usesConversions ? conversionDays : undefined].join(
    '\n',
  );
}

/** The tables that the rule rests on: queries and models, also through other models. */
export function tablesOfRule({ reads, model }: Pick<Rule, 'reads' | 'model'>): readonly string[] {
  return [...reads.map(({ name }) => name), ...(model === undefined ? [] : [model.name, ...model.models])];
}

/** Throws `InputError` for a model, because recorded days have only queries. */
export function readByQuery({ name, from, reads: [query], model }: Rule): ReadQuery {
  if (query && !model) return query;
  throw new InputError(`The rule ${name} reads the model ${from}, but the record of past days has only queries.`, {
    nextStep: 'Run pacekeeper rules evaluate to see its result now.',
  });
}

export interface Alert {
  readonly severity: AlertSeverity;
  readonly text: readonly TemplatePart[];
  readonly written: string;
}

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  /** `money` is true for an amount in the account's currency. */
  | { readonly kind: 'value'; readonly value: CheckedValue; readonly money: boolean };

export type BudgetChange =
  | {
      readonly kind: 'by';
      readonly direction: 'increase' | 'decrease';
      readonly by:
        | { readonly kind: 'share'; readonly share: Rational }
        | { readonly kind: 'amount'; readonly amount: Micros };
      readonly text: string;
    }
  | { readonly kind: 'to'; readonly value: CheckedValue; readonly text: string }
  | { readonly kind: 'pace'; readonly pace: Pace; readonly text: string }
  /** Only of targets. Budgets with a low value of `by` give to those with a high one. */
  | { readonly kind: 'reallocate'; readonly by: Written<CheckedValue>; readonly text: string };

export interface Limits {
  readonly floor: Micros | undefined;
  readonly ceiling: Micros | undefined;
  readonly step: Rational | undefined;
  /** With 3, a change on the 1st allows the next change on the 4th. */
  readonly cooldownDays: number | undefined;
  /** Largest total change within `days`, as a share of the amount before the first of these changes. */
  readonly drift: { readonly share: Rational; readonly days: number } | undefined;
  /** A change is allowed only if each sum reaches `least`. */
  readonly minimum: readonly { readonly name: string; readonly value: CheckedValue; readonly least: Rational }[];
}
