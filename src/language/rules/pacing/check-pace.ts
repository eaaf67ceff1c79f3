import * as z from 'zod';
import { addDays, type CivilDate, daysBetween, daysOf } from '../../../domain/civil-date.ts';
import { type Diagnostic, finding } from '../../../domain/diagnostic.ts';
import { formatMoney, formatMoneyRounded } from '../../../domain/micros.ts';
import { parseCivilDate } from '../../../domain/parse-civil-date.ts';
import {
  add,
  compare,
  formatPercent,
  multiply,
  parseDecimal,
  type Rational,
  rational,
  subtract,
} from '../../../domain/rational.ts';
import type { YamlPlaces } from '../../yaml/read-yaml.ts';
import { amount, calendarDay, either, scalar } from '../../yaml/scalars.ts';
import type { CheckedCondition } from '../check/checked-expression.ts';
import { valuesOfCondition } from '../evaluate/collect-values.ts';
import { columnOf, STATUS } from '../evaluate/plan-rule.ts';
import { shareOf } from '../language/expression.ts';
import type { Limits, RuleTable, SubjectKind } from '../rule.ts';
import { dayCurve, weightOf } from './curve.ts';
import { type Curve, DEFAULT_PACE, flightOf, NAMED_CURVES, type Pace, ROLLOVERS } from './pace.ts';
import { bandText } from './pace-words.ts';

interface WrittenWeight {
  readonly value: Rational;
  readonly percent: boolean;
}

const WEIGHT = 'a number of 0 or more such as 0.5, or a percentage such as 15%';
const WEIGHT_TEXT = /^(\d{1,6}(?:\.\d{1,6})?)(%)?$/;
const BAND = /^(\d{1,3}(?:\.\d{1,6})?)% to (\d{1,3}(?:\.\d{1,6})?)%$/i;
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

const weight = scalar(WEIGHT, (text): WrittenWeight | undefined => {
  const [, digits, percent] = WEIGHT_TEXT.exec(text) ?? [];
  const value = digits === undefined ? undefined : percent ? shareOf(digits) : parseDecimal(digits);
  return value && { value, percent: percent !== undefined };
}).meta({ type: ['number', 'string'] });

const factor = scalar('a number of 0 or more such as 2', (text) => {
  const [, digits, percent] = WEIGHT_TEXT.exec(text) ?? [];
  return digits === undefined || percent ? undefined : parseDecimal(digits);
}).meta({ type: ['number', 'string'] });

const CURVE = 'even, weekday, early, late, or seven weights from Monday to Sunday such as [1, 1, 1, 1, 1, 0.5, 0.5]';
const curveName = scalar(CURVE, (text) => NAMED_CURVES.find((name) => name === text)).meta({ enum: NAMED_CURVES });
const sevenWeights = z.array(weight).length(7, { error: CURVE });

const curve = either((value) => !Array.isArray(value), curveName, sevenWeights);

const band = scalar('two percentages around 100% such as 95% to 105%', (text) => {
  const [low, high] = (BAND.exec(text)?.slice(1) ?? []).map(shareOf);
  if (low === undefined || high === undefined || low.n === 0n) return undefined;
  // A band without 100% would move the rule away from the target.
  return low.n <= low.d && high.n >= high.d ? { low, high } : undefined;
});

const MONTH_OR_DAY = 'a month such as 2026-11, or a day such as 2026-11-27';
const isMonthOrDay = (text: string) => MONTH.test(text) || parseCivilDate(text) !== undefined;

const day = scalar('a day such as 2026-09-15', parseCivilDate);

export const paceSchema = z
  .strictObject({
    curve: curve.meta({
      description:
        'The spread of the target over the days: even, weekday, early, late, or weights from Monday to Sunday. The weekday curve follows recent costs.',
      examples: [...NAMED_CURVES, [1, 1, 1, 1, 1, 0.5, 0.5]],
    }),
    band: band.meta({
      description: 'The shares of the target that need no change. Default: 95% to 105%.',
      examples: ['95% to 105%'],
    }),
    rollover: z.enum(ROLLOVERS).meta({
      description:
        'The part of a month that carries over to the next: underspend, overspend, both, or none. Default: none.',
    }),
    starts: day.meta({ description: 'The first paced day.', examples: ['2026-09-15'] }),
    ends: day.meta({ description: 'The last paced day.', examples: ['2026-12-20'] }),
    months: z.record(z.string().regex(MONTH, { error: 'a month such as 2026-11' }), amount).meta({
      description: 'Targets of single months. They apply in full, even if the rule paces only part of the month.',
      examples: [{ '2026-11': 5000 }],
    }),
    weights: z.record(z.string().refine(isMonthOrDay, { error: MONTH_OR_DAY }), factor).meta({
      description:
        'Weights of months and days, multiplied with the curve. A day replaces its month. All others weigh 1.',
      examples: [{ '2026-11': 2, '2026-11-27': 5 }],
    }),
    pauses: z.array(z.strictObject({ from: calendarDay, to: calendarDay })).meta({
      description: 'Days that weigh 0, so budgets stay at their lowest.',
      examples: [[{ from: '2026-12-24', to: '2026-12-26' }]],
    }),
  })
  .partial();

/** Keeps every valid field, so that one wrong field does not hide errors in others. */
export const loosePaceSchema = z
  .looseObject({
    curve: curve.optional().catch(undefined),
    band: band.optional().catch(undefined),
    rollover: z.enum(ROLLOVERS).optional().catch(undefined),
    starts: day.optional().catch(undefined),
    ends: day.optional().catch(undefined),
    months: z.record(z.string(), amount).optional().catch(undefined),
    weights: z.record(z.string(), factor).optional().catch(undefined),
    pauses: z
      .array(z.object({ from: calendarDay, to: calendarDay }))
      .optional()
      .catch(undefined),
  })
  .optional()
  .catch(undefined);

type LoosePace = NonNullable<z.output<typeof loosePaceSchema>>;

const OF_MONTHS = ['rollover', 'starts', 'ends', 'months'];

export function checkPace(written: LoosePace, target: Pace | undefined, places: YamlPlaces) {
  const diagnostics: Diagnostic[] = [];
  const refuse = (code: 'BAD_VALUE' | 'MISSING_KEY', key: string, message: string, hint: string) =>
    diagnostics.push(finding(code, places.spanOf(['pace', key]), message, hint));
  const { band = DEFAULT_PACE.band, rollover = DEFAULT_PACE.rollover, starts, ends, months = {} } = written;
  const weights = new Map(Object.entries(written.weights ?? {}));
  const { pauses = [] } = written;
  if (rollover !== 'none' && starts === undefined && !places.has(['pace', 'starts'])) {
    const message = '"pace.starts" is missing: rollover needs a first day to count from.';
    refuse('MISSING_KEY', 'rollover', message, 'Add "starts: 2026-11-01", or remove "rollover".');
  }
  if (starts !== undefined && ends !== undefined && ends < starts) {
    refuse(
      'BAD_VALUE',
      'ends',
      `Found ${ends}, expected ${starts} or later: pacing starts on that day.`,
      'Swap the two days.',
    );
  }
  let curve = DEFAULT_PACE.curve;
  if (written.curve !== undefined) {
    const read = typeof written.curve === 'string' ? { kind: written.curve } : readWeights(written.curve);
    if ('message' in read) refuse('BAD_VALUE', 'curve', read.message, read.hint);
    else curve = read;
  }
  for (const [index, { from, to }] of pauses.entries()) {
    if (to >= from) continue;
    const message = `Found a pause from ${from} to ${to}, expected ${from} or later.`;
    diagnostics.push(finding('BAD_VALUE', places.spanOf(['pace', 'pauses', index]), message, 'Swap the two days.'));
  }
  const ofFlight = { curve, band, weights, pauses };
  const options = { ...ofFlight, rollover, starts, ends, months: new Map(Object.entries(months)) };
  const isFlight = target?.per === 'flight';
  const flight = target && flightOf(target);
  const isWeighed = weights.size > 0 || pauses.length > 0;
  if (flight && isWeighed && weightOf(daysOf(flight), dayCurve(ofFlight, flight, [])) === 0n) {
    const message = `Every day from ${flight.from} to ${flight.to} has the weight 0, so nothing may be spent.`;
    refuse('BAD_VALUE', pauses.length > 0 ? 'pauses' : 'weights', message, 'Give at least one day a weight above 0.');
  }
  for (const key of isFlight ? OF_MONTHS : []) {
    if (!places.has(['pace', key])) continue;
    const message = `Found "pace.${key}" with a flight, expected it only with "per month". A flight has its own days.`;
    refuse('BAD_VALUE', key, message, `Remove "${key}", or write "change: pace budget to 3000 per month".`);
  }
  return {
    pace: target && (isFlight ? { ...target, ...ofFlight } : { ...target, ...options }),
    diagnostics,
    amounts: Object.keys(months).map((month) => places.spanOf(['pace', 'months', month])),
  };
}

function readWeights(written: readonly WrittenWeight[]): Curve | { readonly message: string; readonly hint: string } {
  const sum = written.reduce((total, { value }) => add(total, value), rational(0n));
  const percents = written.filter(({ percent }) => percent).length;
  if (percents > 0 && percents < written.length) {
    const message = `Found ${percents} ${percents === 1 ? 'percentage' : 'percentages'} and ${written.length - percents} plain ${written.length - percents === 1 ? 'number' : 'numbers'}, expected seven of the same kind.`;
    return { message, hint: 'Write percentages that add up to 100%, or weights such as [1, 1, 1, 1, 1, 0.5, 0.5].' };
  }
  if (percents > 0 && compare(sum, rational(1n)) !== 0) {
    const message = `The percentages of the curve add up to ${formatPercent(sum, 6)}, expected 100%.`;
    return { message, hint: 'Weights without percent signs may have any sum: [1, 1, 1, 1, 1, 0.5, 0.5].' };
  }
  if (sum.n === 0n) {
    const message = 'Every day of the curve has the weight 0, so no day gets a share of the target.';
    return { message, hint: 'Give at least one weekday a weight above 0.' };
  }
  return { kind: 'custom', weights: written.map(({ value }) => value) };
}

export interface PacingParts {
  readonly pace: Pace;
  readonly limits: Limits;
  readonly where: CheckedCondition | undefined;
  readonly for: SubjectKind | undefined;
  readonly currency: string | undefined;
  /** Today in UTC. */
  readonly today: CivilDate | undefined;
}

/** A weekday curve is assumed to change amounts by a fifth from one day to the next. */
const WEEKDAY_STEP = rational(20n, 100n);

export function warnOfPace(parts: PacingParts, query: RuleTable, places: YamlPlaces): Diagnostic[] {
  const found: Diagnostic[] = [];
  const warn = (path: readonly string[], message: string, hint: string) =>
    found.push(finding('UNLIKELY_PACE', places.spanOf(path), message, hint, 'warning'));
  const { pace, limits, where, today } = parts;
  const { floor, cooldownDays = 0, step } = limits;
  const last = flightOf(pace)?.to;
  if (last !== undefined && today !== undefined && last < addDays(today, -1)) {
    warn(['change'], `The flight ended on ${last}, so the rule does nothing.`, 'Write later days, or remove the rule.');
  }
  if (floor === undefined) {
    const message = `Without a floor, an overspent ${pace.per} cuts budgets to a twentieth each day, down to the smallest currency amount.`;
    warn(['change'], message, 'Add "limits: { floor: 5 }", with the lowest daily amount you accept.');
  }
  for (const [key, message, hint] of outOfReach(parts)) warn(['limits', key], message, hint);
  if (pace.curve.kind === 'custom' || pace.curve.kind === 'weekday') {
    const least = pace.curve.kind === 'custom' ? steepest(pace.curve.weights) : WEEKDAY_STEP;
    if (cooldownDays > 1) {
      const message = `The curve gives each weekday a different amount, but the cooldown allows a change only every ${cooldownDays} days.`;
      warn(['limits', 'cooldown'], message, 'Remove the cooldown, or write "curve: even".');
    }
    if (step !== undefined && compare(step, least) < 0) {
      const message = `The curve changes amounts by ${formatPercent(least, 0)} from one day to the next, but the step allows only ${formatPercent(step, 0)}.`;
      warn(['limits', 'step'], message, 'Remove the step, or write "curve: even".');
    }
  }
  const status = columnOf(query.columns, STATUS);
  const names = where === undefined ? [] : valuesOfCondition(where);
  if (names.some((value) => value.kind === 'attribute' && value.column === status)) {
    const message = '"where" tests the status, so the earlier spend of a paused campaign would no longer count.';
    warn(['where'], message, 'Remove the status from "where". Pacing never changes budgets of paused campaigns.');
  }
  if (query.resource !== 'campaign') {
    const message = `${query.name} reads ${query.resource}, which has only part of the campaign costs. The rest would not count.`;
    warn(['from'], message, 'Read a query FROM campaign, such as campaign_spend.');
  }
  return found;
}

function outOfReach({ pace, limits, currency, for: kind }: PacingParts): [string, string, string][] {
  const { floor, ceiling } = limits;
  const money = (amount: bigint) => formatMoney(amount, currency);
  const low = multiply(rational(pace.amount), pace.band.low);
  const high = multiply(rational(pace.amount), pace.band.high);
  const band = `${bandText(pace.band)} of ${money(pace.amount)}`;
  const found: [string, string, string][] = [];
  const [fewest, longest] = dayCounts(pace);
  if (floor !== undefined && compare(rational(floor * fewest), high) > 0) {
    const least = `The floor of ${money(floor)} comes to ${money(floor * fewest)} in ${fewest} days`;
    const most = formatMoneyRounded(high.n / (high.d * fewest), currency);
    found.push(['floor', `${least}, expected ${band}.`, `Write a floor below ${most}, or a higher target.`]);
  }
  // The ceiling applies to each budget, so this check needs a target with one budget.
  if (ceiling !== undefined && kind !== 'account' && compare(rational(ceiling * longest), low) < 0) {
    const most = `The ceiling of ${money(ceiling)} comes to ${money(ceiling * longest)} in ${longest} days`;
    const least = formatMoneyRounded(low.n / (low.d * fewest), currency);
    found.push(['ceiling', `${most}, expected ${band}.`, `Write a ceiling above ${least}, or a lower target.`]);
  }
  return found;
}

/** Number of days of the shortest and the longest month, or of the flight. */
function dayCounts(pace: Pace): [bigint, bigint] {
  const flight = flightOf(pace);
  if (flight === undefined) return [28n, 31n];
  const days = BigInt(daysBetween(flight.from, flight.to) + 1);
  return [days, days];
}

function steepest(weights: readonly Rational[]): Rational {
  return weights.reduce((most, weight, index) => {
    const next = weights[(index + 1) % weights.length];
    if (next === undefined || weight.n === 0n) return most;
    const share = subtract(rational(1n), rational(next.n * weight.d, next.d * weight.n));
    return compare(share, most) > 0 ? share : most;
  }, rational(0n));
}
