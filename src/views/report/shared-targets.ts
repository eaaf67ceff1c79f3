import type { MonthTarget } from '../../language/results/account-month.ts';
import { rateText } from '../../language/rules/pacing/pace-words.ts';
import { leftOf, type RunTarget } from '../../storage/records/runs/run-result-table.ts';
import { endWords, shortDigits, shortMoney } from './month-words.ts';
import { descending } from './movers.ts';
import { perMille } from './pace.ts';
import { PACE_WORDS } from './pacing-words.ts';

/** Targets without an account of their own, because they have several. Those that need a person come first. */
export function sharedTargets(rows: readonly RunTarget[] = []): RunTarget[] {
  const rank = (row: RunTarget) => (row.reason !== undefined ? 0 : offOf(row) !== undefined ? 1 : 2);
  return rows
    .filter(({ customerId }) => customerId === undefined)
    .toSorted((one, other) => rank(one) - rank(other) || (one.rule < other.rule ? -1 : 1));
}

const OFF = { high: 'over', overspent: 'over', low: 'under', unused: 'under' } as const;

export function offOf({ state }: RunTarget): MonthTarget['off'] {
  return OFF[state as keyof typeof OFF];
}

export type Course = Pick<MonthTarget, 'target' | 'projected' | 'off' | 'isSpent'>;

/** Undefined if the target has no forecast, or is not paced now. */
export function courseOf(row: RunTarget): Course | undefined {
  const { target, projected, state } = row;
  if (target === undefined || projected === undefined || state === 'not_started' || state === 'ended') return undefined;
  return { target, projected, off: offOf(row), isSpent: state === 'overspent' };
}

/** The target for the first sentence: the one that is furthest off, preferably one that misses its amount. Undefined if none is paced. */
export function leadTarget(rows: readonly RunTarget[]): RunTarget | undefined {
  const ranked = rows.flatMap((row) => {
    const course = courseOf(row);
    const share = course && perMille(course.projected - course.target, course.target);
    if (share === undefined) return [];
    return [{ row, isOff: offOf(row) !== undefined, distance: share < 0n ? -share : share }];
  });
  const [first] = ranked.toSorted(
    (one, other) => Number(other.isOff) - Number(one.isOff) || descending(one.distance, other.distance),
  );
  return first?.row;
}

/** Text such as "client, 4 accounts". */
export const sharedName = ({ rule, subject }: RunTarget): string => `${rule}, ${subject}`;

/** The budgets lead to another amount than the target. Undefined if they do not. */
export const offCourse = ({ state }: RunTarget): string | undefined => OFF_COURSE[state as keyof typeof OFF_COURSE];

const OFF_COURSE = {
  high: 'budgets too high',
  overspent: 'target already spent',
  low: 'budgets too low',
  unused: 'budgets not fully spent',
} as const;

/** Text such as "will end at 42,120 EUR, target 40,000 (budgets too high)", or "withheld: no exchange rate is known". */
export function sharedCourse(row: RunTarget): string {
  const { target, currency, state, reason, dateFrom, dateTo } = row;
  const course = courseOf(row);
  const off = offCourse(row);
  if (course !== undefined) return `${endWords(course, currency)}${off === undefined ? '' : ` (${off})`}`;
  const [word] = PACE_WORDS[state as keyof typeof PACE_WORDS];
  return `${word}: ${reason ?? `${shortMoney(target, currency)} from ${dateFrom} to ${dateTo}`}`;
}

/** Text such as "2,665 to 1,446 EUR a day". */
export function changeOfBudgets({ budget, shouldBe, currency }: RunTarget): string {
  return `${shortDigits(budget, currency)} to ${shortMoney(shouldBe, currency)} a day`;
}

/** Sentences about what is left, the budgets, and the exchange rates. */
export function sharedRest(row: RunTarget): string[] {
  const { currency, budget, shouldBe, rates } = row;
  const left = leftOf(row);
  return [
    ...(left === undefined
      ? []
      : [left < 0n ? `${shortMoney(-left, currency)} overspent.` : `${shortMoney(left, currency)} left.`]),
    ...(shouldBe === budget ? [] : [`Budgets should change from ${changeOfBudgets(row)}.`]),
    ...(rates.length === 0 ? [] : [`Rates: ${rates.map(rateText).join('; ')}.`]),
  ];
}
