import type { AlertSeverity } from '../domain/channel.ts';
import type { Span } from '../domain/diagnostic.ts';
import type { Micros } from '../domain/micros.ts';
import type { Rational } from '../domain/rational.ts';
import type { Column } from '../gaql/check/column.ts';
import type { CheckedCondition, CheckedValue } from './check/checked-expression.ts';
import type { Window } from './language/window.ts';
import type { Pace } from './pacing/pace.ts';

/** How far automation may go: `propose` shows, `approve` waits for a person, `apply` acts. From narrow to wide. */
export const MODES = ['propose', 'approve', 'apply'] as const;
export type Mode = (typeof MODES)[number];

/** The narrower of two modes. */
export function narrower(a: Mode, b: Mode): Mode {
  return MODES.indexOf(a) < MODES.indexOf(b) ? a : b;
}

/** What a rule decides on, one after the other. The last two have no budget of their own: their rules may only alert. */
export const SUBJECTS = ['campaign', 'budget', 'account', 'ad_group', 'keyword'] as const;
export type SubjectKind = (typeof SUBJECTS)[number];

/** A part of the file with the text that its spans point into. */
export interface Written<Tree> {
  readonly tree: Tree;
  readonly text: string;
}

/** A checked rule file. */
export interface Rule {
  /** The file's name without its ending. */
  readonly name: string;
  /** Twelve hex digits of the SHA-256 of the file's text: which wording of the rule decided. */
  readonly version: string;
  readonly description: string;
  /** The query's table it reads. */
  readonly from: string;
  /** What the query that fills it asks of a day: see `questionOf`. */
  readonly queryText: string;
  readonly columns: readonly Column[];
  readonly for: SubjectKind;
  /** Chooses by attributes which campaigns (ad groups, keywords) take part. */
  readonly where: Written<CheckedCondition> | undefined;
  /** The window of every metric that names none; undefined when every metric names its own. */
  readonly over: Window | undefined;
  /** Undefined for a rule that paces whatever its numbers are. */
  readonly when: Written<CheckedCondition> | undefined;
  /** On how many days one after the other the condition must be true; 1 where the file does not say. */
  readonly lastingDays: number;
  /** Undefined for a rule that only alerts. */
  readonly change: BudgetChange | undefined;
  readonly limits: Limits;
  /** Whether paused campaigns count for what the rule changes; removed ones never do. */
  readonly includePaused: boolean;
  readonly alert: Alert | undefined;
  /** Limits the rule to accounts in it. */
  readonly currency: string | undefined;
  /** Whether an amount is named, which means nothing where several currencies meet. */
  readonly namesMoney: boolean;
  /** Where the first of them stands in the file. */
  readonly amountAt: Span | undefined;
  readonly mode: Mode;
}

export interface Alert {
  readonly severity: AlertSeverity;
  readonly text: readonly TemplatePart[];
  /** The text as it is written in the file. */
  readonly written: string;
}

/** `{campaign_name}: {cost / clicks} a click` in parts. */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  /** `money`: the value is an amount in the account's currency. */
  | { readonly kind: 'value'; readonly value: CheckedValue; readonly money: boolean };

export type BudgetChange =
  | {
      readonly kind: 'by';
      readonly direction: 'increase' | 'decrease';
      readonly by:
        | { readonly kind: 'share'; readonly share: Rational }
        | { readonly kind: 'amount'; readonly amount: Micros };
      /** As it is written in the file. */
      readonly text: string;
    }
  /** To an amount in currency units that is computed from the subject's numbers. */
  | { readonly kind: 'to'; readonly value: CheckedValue; readonly text: string }
  /** To what keeps a month on its target. */
  | { readonly kind: 'pace'; readonly pace: Pace; readonly text: string };

export interface Limits {
  readonly floor: Micros | undefined;
  readonly ceiling: Micros | undefined;
  /** The largest single change, as a share of the current amount. */
  readonly step: Rational | undefined;
  /** How many account days after a change of the budget by whomever this rule's next one may come: 3 after the 1st is the 4th. */
  readonly cooldownDays: number | undefined;
  /** How far changes may carry the budget away from the amount it had before the first of them within the days. */
  readonly drift: { readonly share: Rational; readonly days: number } | undefined;
  /** What the numbers must at least come to over the rule's own window before it may change anything. */
  readonly minimum: readonly { readonly name: string; readonly value: CheckedValue; readonly least: Rational }[];
}
