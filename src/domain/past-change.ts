import type { CivilDate } from './civil-date.ts';
import type { Micros } from './micros.ts';

/** A change that the budget has seen, by whomever. */
export interface PastChange {
  /** The account's calendar day. */
  readonly day: CivilDate;
  readonly by: 'rule' | 'undo' | 'foreign';
  /** For a foreign change the amount we knew before. */
  readonly from: Micros;
  readonly to: Micros;
}
