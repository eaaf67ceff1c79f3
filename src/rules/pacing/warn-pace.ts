import type { Diagnostic } from '../../domain/diagnostic.ts';
import { formatMoney, formatMoneyRounded } from '../../domain/micros.ts';
import { compare, formatRational, multiply, type Rational, rational, subtract } from '../../domain/rational.ts';
import type { QueryFile } from '../../gaql/query-file.ts';
import type { YamlPlaces } from '../../yaml/read-yaml.ts';
import type { CheckedCondition } from '../check/checked-expression.ts';
import { valuesOfCondition } from '../evaluate/collect-values.ts';
import { columnOf, STATUS } from '../evaluate/plan-rule.ts';
import type { Limits, SubjectKind } from '../rule.ts';
import type { Pace } from './pace.ts';
import { bandText } from './pace-words.ts';

/** A rule that paces, as far as it could be read. */
export interface PacingParts {
  readonly pace: Pace;
  readonly limits: Limits;
  readonly where: CheckedCondition | undefined;
  readonly for: SubjectKind | undefined;
  readonly currency: string | undefined;
}

/** With smaller steps a curve of the weekdays is not followed from one day to the next. */
const WEEKDAY_STEP = rational(20n, 100n);

/** What no month is likely to come to its target with, a sentence each. */
export function warnOfPace(parts: PacingParts, query: QueryFile, places: YamlPlaces): Diagnostic[] {
  const found: Diagnostic[] = [];
  const warn = (path: readonly string[], message: string, hint: string) =>
    found.push({ code: 'UNLIKELY_PACE', severity: 'warning', span: places.spanOf(path), message, hint });
  const { pace, limits, where } = parts;
  const { floor, cooldownDays = 0, step } = limits;
  if (floor === undefined) {
    const message =
      'Without a floor a month that is overspent lowers budgets to a twentieth each day, down to the smallest amount of the currency.';
    warn(['change'], message, 'Add limits: { floor: 5 }, with the least that a day may have.');
  }
  for (const [key, message, hint] of outOfReach(parts)) warn(['limits', key], message, hint);
  if (pace.curve.kind !== 'even') {
    const least = pace.curve.kind === 'custom' ? steepest(pace.curve.weights) : WEEKDAY_STEP;
    if (cooldownDays > 1) {
      const message = `The curve gives each weekday another amount, and the cooldown lets a budget change every ${cooldownDays} days.`;
      warn(['limits', 'cooldown'], message, 'Leave the cooldown out, or write curve: even.');
    }
    if (step !== undefined && compare(step, least) < 0) {
      const message = `The curve changes amounts by ${percent(least)} from one day to another, and the step lets them change by ${percent(step)}.`;
      warn(['limits', 'step'], message, 'Leave the step out, or write curve: even.');
    }
  }
  const status = columnOf(query.columns, STATUS);
  const names = where === undefined ? [] : valuesOfCondition(where);
  if (names.some((value) => value.kind === 'attribute' && value.column === status)) {
    const message = '"where" names the status: what a campaign spent before it was paused would not count any more.';
    warn(['where'], message, 'Leave the status out: campaigns that are paused are left alone anyway.');
  }
  if (query.resource !== 'campaign') {
    const message = `${query.name} reads ${query.resource}, which has a part of what campaigns spend only: costs beside it would not count.`;
    warn(['from'], message, 'Read a query FROM campaign, such as campaign_spend.');
  }
  return found;
}

/** Limits of a day that no month's target can live with: the key, the sentence and the next step. */
function outOfReach({ pace, limits, currency, for: kind }: PacingParts): [string, string, string][] {
  const { floor, ceiling } = limits;
  const money = (amount: bigint) => formatMoney(amount, currency);
  const [low, high] = [pace.band.low, pace.band.high].map((share) => multiply(rational(pace.amount), share));
  const band = `${bandText(pace.band)} of ${money(pace.amount)}`;
  const found: [string, string, string][] = [];
  if (floor !== undefined && high && compare(rational(floor * 28n), high) > 0) {
    const least = `28 days of the floor of ${money(floor)} come to ${money(floor * 28n)}`;
    const most = formatMoneyRounded(high.n / (high.d * 28n), currency);
    found.push(['floor', `${least}, more than ${band}.`, `Write a floor below ${most}, or a higher target.`]);
  }
  // Several budgets of one target have a ceiling each.
  if (ceiling !== undefined && kind !== 'account' && low && compare(rational(ceiling * 31n), low) < 0) {
    const most = `31 days of the ceiling of ${money(ceiling)} come to ${money(ceiling * 31n)}`;
    const least = formatMoneyRounded(low.n / (low.d * 28n), currency);
    found.push(['ceiling', `${most}, less than ${band}.`, `Write a ceiling above ${least}, or a lower target.`]);
  }
  return found;
}

/** The largest decrease from one weekday to the next, as a share. */
function steepest(weights: readonly Rational[]): Rational {
  return weights.reduce((most, weight, index) => {
    const next = weights[(index + 1) % weights.length];
    if (next === undefined || weight.n === 0n) return most;
    const share = subtract(rational(1n), rational(next.n * weight.d, next.d * weight.n));
    return compare(share, most) > 0 ? share : most;
  }, rational(0n));
}

const percent = (share: Rational): string => `${formatRational(multiply(share, rational(100n)), 0)}%`;
