import { type Rational, roundHalfAway } from '../domain/rational.ts';
import type { RunTarget } from '../store/run-result-table.ts';
import type { PacingTarget } from './pacing-result.ts';
import { knownSum } from './pacing-words.ts';

/** A target as its run has it on record. */
export function paceRow(one: PacingTarget, accountName: string | undefined): RunTarget {
  const { reading } = one;
  const known = (value: Rational) => knownSum(reading, value);
  return {
    rule: one.rule,
    customerId: one.customerId,
    accountName,
    subject: one.subject,
    currency: one.currency,
    state: reading.state,
    target: roundHalfAway(reading.target),
    spent: known(reading.spent),
    idealToDate: known(reading.idealToDate),
    projected: known(reading.projected),
    budget: reading.current,
    shouldBe: one.shouldBe,
  };
}
