import type { Verdict } from '../../../src/language/rules/decide/decision.ts';
import type { EvaluatedAccount } from '../../../src/language/rules/evaluate/evaluated-account.ts';
import type { PaceReading } from '../../../src/language/rules/pacing/pace.ts';
import { accountOf, row, type TableRow, verdictOf } from '../evaluated.ts';
import type { RuleText } from '../rule-fixtures.ts';

/** A rule that keeps a campaign on 3,000 EUR a month: 100 a day in November. */
export const PACED: RuleText = {
  over: undefined,
  when: undefined,
  currency: 'EUR',
  change: 'pace budget to 3000 per month',
};

/** Rows of a campaign that cost so much on each of the days before today, yesterday first. */
export function costing(costs: readonly number[], about: TableRow = {}): TableRow[] {
  return costs.map((cost, index) =>
    row({ ago: index + 1, cost_micros: BigInt(Math.round(cost * 1_000_000)), ...about }),
  );
}

/** The same cost on each of the last days. */
export const steady = (cost: number, days = 28, about: TableRow = {}): TableRow[] =>
  costing(
    Array.from({ length: days }, () => cost),
    about,
  );

export function pacedVerdict(
  text: RuleText,
  rows: readonly TableRow[],
  account: EvaluatedAccount = accountOf(),
): Verdict {
  return verdictOf({ ...PACED, ...text }, rows, account);
}

export function readingOf(verdict: Verdict): PaceReading {
  const reading = verdict.pace;
  if (reading === undefined) throw new Error('The rule does not pace.');
  return reading;
}
