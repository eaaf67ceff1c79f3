import type { CatalogueField } from '../catalogue/catalogue.ts';
import type { Condition } from '../syntax/tree.ts';

/** A condition of WHERE through the stages of the check. */
export interface CheckedCondition {
  readonly written: Condition;
  /** Undefined where the name is no field that can stand there. */
  readonly field: CatalogueField | undefined;
  /** With values for parameters; undefined where one is missing. */
  readonly bound: Condition | undefined;
}
