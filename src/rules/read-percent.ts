import { parseDecimal, type Rational, rational } from '../domain/rational.ts';

/** The digits before a percent sign as a share, in lowest terms: "20" is 1/5. Undefined for what is no number. */
export function shareOf(digits: string): Rational | undefined {
  const percent = parseDecimal(digits);
  return percent && rational(percent.n, percent.d * 100n);
}
