import type { Micros } from '../domain/micros.ts';
import type { Rational } from '../domain/rational.ts';
import type { Column } from '../gaql/check/column.ts';
import type { Expression } from './expression.ts';

/** How far automation may go: `propose` shows, `approve` waits for a person, `apply` acts. From narrow to wide. */
export const MODES = ['propose', 'approve', 'apply'] as const;
export type Mode = (typeof MODES)[number];

/** The narrower of two modes. */
export function narrower(a: Mode, b: Mode): Mode {
  return MODES.indexOf(a) < MODES.indexOf(b) ? a : b;
}

/** A checked rule file. */
export interface Rule {
  /** The file's name without its ending. */
  readonly name: string;
  readonly description: string;
  /** The query's table it reads. */
  readonly from: string;
  /** What the query that fills it asks of a day: see `questionOf`. */
  readonly queryText: string;
  readonly columns: readonly Column[];
  /** Complete account days that metrics are summed over. */
  readonly overDays: number;
  readonly when: Expression;
  readonly whenText: string;
  readonly change: BudgetChange;
  readonly limits: Limits;
  /** Limits the rule to accounts in it. */
  readonly currency: string | undefined;
  /** Whether an amount is named, which means nothing where several currencies meet. */
  readonly namesMoney: boolean;
  readonly mode: Mode;
}

export interface BudgetChange {
  readonly direction: 'increase' | 'decrease';
  readonly by:
    | { readonly kind: 'share'; readonly share: Rational }
    | { readonly kind: 'amount'; readonly amount: Micros };
  /** As it is written in the file. */
  readonly text: string;
}

export interface Limits {
  readonly floor: Micros | undefined;
  readonly ceiling: Micros | undefined;
  /** The largest single change, as a share of the current amount. */
  readonly step: Rational | undefined;
}
