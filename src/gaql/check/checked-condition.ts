import type { CatalogueField } from '../catalogue/catalogue.ts';
import type { Report } from '../report.ts';
import { valuesOf } from '../syntax/print-query.ts';
import type { Condition, Value } from '../syntax/tree.ts';

/** A condition of WHERE through the stages of the check. */
export interface CheckedCondition {
  readonly written: Condition;
  /** Undefined where the name is no field that can stand there. */
  readonly field: CatalogueField | undefined;
  /** With values for parameters; undefined where one is missing. */
  readonly bound: Condition | undefined;
}

const WRONG_VALUES_SHOWN = 10;

/** Judges every value of a condition: true when all fit. Of many that do not, some are told, and how many more there are. */
export function checkEach(
  condition: Condition,
  check: (value: Value, report: Report) => void,
  report: Report,
): boolean {
  let wrong = 0;
  for (const value of valuesOf(condition)) {
    check(value, (finding) => {
      wrong += 1;
      if (wrong <= WRONG_VALUES_SHOWN) report(finding);
    });
  }
  if (wrong > WRONG_VALUES_SHOWN && condition.kind === 'membership') {
    const more = wrong - WRONG_VALUES_SHOWN;
    const message = `${more} more ${more === 1 ? 'value of this list does' : 'values of this list do'} not fit.`;
    report({ code: 'BAD_VALUE', span: condition.listSpan, message });
  }
  return wrong === 0;
}
