import { capitalised } from '../../domain/wording.ts';
import type { MonthTarget } from '../../language/results/account-month.ts';
import { rateText } from '../../language/rules/pacing/pace-words.ts';
import { leftOf, type RunTarget } from '../../storage/records/runs/run-result-table.ts';
import { endWords, offWords, shortDigits, shortMoney } from './month-words.ts';
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

/** Text such as "northwind, 4 accounts". */
export const sharedName = ({ rule, subject }: RunTarget): string => `${rule}, ${subject}`;

/** Text such as "Over target: will end at 42,120 EUR, target 40,000". */
export function sharedCourse(row: RunTarget): string {
  const { target, currency, state, reason, dateFrom, dateTo } = row;
  const course = courseOf(row);
  if (course !== undefined) return `${capitalised(offWords(course) ?? 'on target')}: ${endWords(course, currency)}`;
  const [word] = PACE_WORDS[state as keyof typeof PACE_WORDS];
  const why = reason ?? `${shortMoney(target, currency)} from ${dateFrom} to ${dateTo}`;
  return `${capitalised(word)}: ${why}`;
}

/** Sentences about what is left, the budgets, and the exchange rates. */
export function sharedRest(row: RunTarget): string[] {
  const { currency, budget, shouldBe, rates } = row;
  const left = leftOf(row);
  const hasCourse = courseOf(row) !== undefined;
  return [
    ...(left === undefined
      ? []
      : [left < 0n ? `${shortMoney(-left, currency)} overspent.` : `${shortMoney(left, currency)} left.`]),
    ...(hasCourse && shouldBe !== budget
      ? [`Budgets today ${shortMoney(budget, currency)}, should be ${shortDigits(shouldBe, currency)}.`]
      : []),
    ...(rates.length === 0 ? [] : [`Rates: ${rates.map(rateText).join(', ')}.`]),
  ];
}
