import type { CivilDate } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { formatMoneyChange, formatMoneyRounded } from '../../domain/micros.ts';
import { add, divide, multiply, type Rational, rational, roundHalfAway, subtract } from '../../domain/rational.ts';
import { capitalised, grouped, withoutFullStop } from '../../domain/wording.ts';
import type { PacingTarget } from '../../language/results/report-result.ts';
import type { PaceReading } from '../../language/rules/pacing/pace.ts';
import { shortfallText } from '../../language/rules/pacing/pace-words.ts';
import type { StateWord } from '../../storage/columns/state-words.ts';
import { count, oneLine } from '../text/text-layout.ts';
import { decisionLine } from './render-decisions.ts';

export const PACE_WORDS: Readonly<Record<PaceReading['state'] | 'withheld', StateWord>> = {
  in_band: ['in band', 'good'],
  low: ['low', 'waits'],
  high: ['high', 'bad'],
  overspent: ['overspent', 'bad'],
  unused: ['underspent', 'plain'],
  paused: ['paused', 'plain'],
  not_started: ['not started', 'plain'],
  ended: ['ended', 'plain'],
  unknown: ['unknown', 'plain'],
  withheld: ['withheld', 'bad'],
};

/** A service may spend 2 daily budgets on a day, and 30.4 in a month. */
export function worstCases(targets: readonly PacingTarget[], nameOf: (id: CustomerId) => string): string[] {
  const paced = targets.filter(({ reading: { state } }) => state !== 'not_started' && state !== 'ended');
  return grouped(paced, ({ customerId, rule }) => customerId ?? rule).flatMap((own) => {
    const [first] = own;
    const seen = new Set<string>();
    let today = 0n;
    for (const { reading } of own) {
      const news = reading.budgets.filter(({ budgetId }) => !seen.has(budgetId));
      for (const { budgetId } of news) seen.add(budgetId);
      // `current` is the sum without paused budgets.
      if (news.length === reading.budgets.length) today += reading.current;
      else today += news.reduce((sum, { amount }) => sum + amount, 0n);
    }
    if (first === undefined || today === 0n) return [];
    const money = (amount: bigint) => formatMoneyRounded(amount, first.currency);
    const amount = money(today);
    const whose = seen.size === 1 ? `today’s budget (${amount})` : `today’s ${seen.size} budgets (${amount} together)`;
    return [
      `${first.customerId === undefined ? `Target ${first.rule}` : nameOf(first.customerId)}: with ${whose}, the service may spend up to ${money(today * 2n)} today (2 × daily) and ${money((today * 304n) / 10n)} in a month (30.4 × daily).`,
    ];
  });
}

export function whySentence({ why }: Pick<PaceReading, 'why'>): string {
  return why === '' ? '' : `${capitalised(withoutFullStop(why))}.`;
}

export function besideWords({ reading, currency, missing }: PacingTarget): string[] {
  const missed = shortfallText(reading, currency);
  const carried = roundHalfAway(reading.carried);
  const unsettled = roundHalfAway(reading.unsettled);
  const money = (amount: bigint) => formatMoneyRounded(amount, currency);
  return [
    ...(carried === 0n ? [] : [`The target includes ${money(carried)} carried over from earlier months.`]),
    ...(unsettled === 0n ? [] : [`Past days that are not complete may add up to ${money(unsettled)}.`]),
    ...(missing === 0n
      ? []
      : [`${money(missing)} a day is missing: increases were refused. The next report shares it again.`]),
    ...(missed === undefined ? [] : [whySentence({ why: missed })]),
  ];
}

export function isPacedNow({ state }: PaceReading): boolean {
  return state !== 'unknown' && state !== 'not_started' && state !== 'ended';
}

/** Undefined for a target that is not paced now. */
export function knownSum(reading: PaceReading, sum: Rational): bigint | undefined {
  return isPacedNow(reading) ? roundHalfAway(sum) : undefined;
}

const BUDGETS_MAX = 10;

export function decisionLines({ reading, decisions, others }: PacingTarget): string[] {
  const labels = new Map(reading.budgets.map(({ budgetId, label }) => [String(budgetId), label]));
  const lines = decisions.slice(0, BUDGETS_MAX).map((decision) => {
    const { budgetId = '' } = decision;
    const whose = decisions.length > 1 ? `${oneLine(labels.get(budgetId) ?? `budget ${budgetId}`)}: ` : '';
    return `${whose}${decisionLine(decision)}`;
  });
  const rest = decisions.length - lines.length;
  return [
    ...lines,
    ...(rest > 0 ? [`and ${count(rest, 'more budget')}: --format json lists all.`] : []),
    ...others.slice(0, BUDGETS_MAX).flatMap(({ rule, budgetId, from, to, currency }) => {
      if (from === undefined || to === undefined) return [];
      return [`Rule ${rule} also decides on budget ${budgetId} today: ${formatMoneyChange(from, to, currency)}.`];
    }),
  ];
}

/** Amounts are in micros. Each sum starts on the first day of the period. */
export interface PaceDay {
  readonly date: CivilDate;
  readonly cost: bigint | undefined;
  readonly ideal: bigint;
  readonly idealSum: bigint;
  readonly spentSum: bigint | undefined;
  /** The cost so far, plus the expected cost up to this date. */
  readonly projectedSum: bigint | undefined;
}

const ZERO = rational(0n);

export function paceDays({ days, target, projected }: PaceReading): PaceDay[] {
  const open = days.findIndex(({ cost }) => cost === undefined);
  const settled = open === -1 ? days.length : open;
  const ideals = shares(days, target);
  const costs = sums(days.slice(0, settled).map(({ cost }) => cost ?? ZERO));
  const spent = costs.at(-1) ?? ZERO;
  const expected = shares(days.slice(settled), subtract(projected, spent));
  return days.map(({ date, cost }, index) => {
    const idealSum = roundHalfAway(ideals[index] ?? ZERO);
    const before = roundHalfAway(ideals[index - 1] ?? ZERO);
    const spentSum = index < settled ? costs[index] : undefined;
    const more = index < settled - 1 ? undefined : index < settled ? ZERO : expected[index - settled];
    return {
      date,
      cost: cost && roundHalfAway(cost),
      ideal: idealSum - before,
      idealSum,
      spentSum: spentSum && roundHalfAway(spentSum),
      projectedSum: more && settled < days.length ? roundHalfAway(add(spent, more)) : undefined,
    };
  });
}

/** Each value is the share from the first date to its own date. */
function shares(days: PaceReading['days'], amount: Rational): Rational[] {
  const weights = sums(days.map(({ weight }) => weight));
  const all = weights.at(-1) ?? ZERO;
  return days.map((_, index) => {
    const part = divide(weights[index] ?? ZERO, all) ?? rational(BigInt(index + 1), BigInt(days.length));
    return multiply(amount, part);
  });
}

function sums(values: readonly Rational[]): Rational[] {
  let sum = ZERO;
  return values.map((value) => {
    sum = add(sum, value);
    return sum;
  });
}
