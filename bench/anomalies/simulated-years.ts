import { addDays, daysOf } from '../../src/domain/civil-date.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { unitsOf } from '../../src/sandbox/market/market.ts';
import { uniform } from '../../src/sandbox/market/random.ts';
import { type Conversion, everyConversionOf, isKnown, resultsHash } from '../../src/sandbox/market/results.ts';
import { simulatedMarket } from '../../src/sandbox/market/simulated-market.ts';
import { type Change, type FigureAt, isChanged, type Year } from './year.ts';

export interface SimulatedSize {
  /** One simulated account each. */
  readonly seeds: readonly number[];
  readonly campaigns: number;
  readonly days: number;
}

interface Cell {
  clicks: number;
  costMicros: number;
  readonly conversions: Conversion[];
}

/** The market's conversions vary less than chance. A random tenth of those of ten times the clicks varies as much. */
const MANY = 10;

const FIRST = civilDate('2024-01-01');

/** Days of simulated accounts without shocks. All campaigns are subjects, and none has an unusual day. */
export function simulatedYears({ seeds, campaigns, days }: SimulatedSize): Year {
  const dates = daysOf({ from: FIRST, to: addDays(FIRST, days - 1) });
  const cells = dates.map(() => new Map<number, Cell>());
  for (const [place, seed] of seeds.entries()) {
    const market = simulatedMarket(seed, { kind: 'planned', campaigns }, false);
    const names = market.account.campaigns.map(({ id }) => id);
    const units = unitsOf(market.account).map((unit) => ({
      subject: place * campaigns + names.indexOf(unit.campaign.id),
      hash: resultsHash(seed, market.account, unit),
      results: unit.campaign.results,
    }));
    for (const [day, date] of dates.entries()) {
      const budget = ({ baseAmount }: { readonly baseAmount: (typeof market.account.budgets)[number]['baseAmount'] }) =>
        baseAmount;
      market.spendDay(date, budget, (unitIndex, _impressions, clicks, costMicros) => {
        const unit = units[unitIndex];
        if (unit === undefined) return;
        const cell = cells[day]?.get(unit.subject) ?? { clicks: 0, costMicros: 0, conversions: [] };
        cell.clicks += clicks;
        cell.costMicros += costMicros;
        const many = everyConversionOf(unit.hash, date, clicks * MANY, unit.results);
        const kept = many.filter(({ primary }, index) => primary && uniform(unit.hash, -day, index) < 1 / MANY);
        cell.conversions.push(...kept);
        cells[day]?.set(unit.subject, cell);
      });
    }
  }
  const read =
    (changed: (metric: Change['metric'], day: number) => number, isLost: Lost): FigureAt =>
    (metric, subject, day, today) => {
      const cell = cells[day]?.get(subject);
      if (cell === undefined) return undefined;
      switch (metric) {
        case 'clicks':
          return cell.clicks;
        case 'cost_micros':
          return Math.round(cell.costMicros * changed(metric, day));
        case 'conversions':
          return knownMillionths(cell.conversions, subject, day, today, isLost);
        default:
          throw new RangeError(`Found the metric ${metric}, expected clicks, cost_micros or conversions.`);
      }
    };
  return {
    days: dates,
    subjects: seeds.length * campaigns,
    figures: read(
      () => 1,
      () => false,
    ),
    changed: (change, start) =>
      read(
        (metric, day) => (change.metric === metric && isChanged(day, start, change) ? change.times : 1),
        (arrival, draw) => change.metric === 'conversions' && isChanged(arrival, start, change) && draw >= change.times,
      ),
  };
}

/** Whether a conversion that arrives on this day is lost. */
type Lost = (arrival: number, draw: number) => boolean;

/** Conversions are lost on the day on which they would arrive, as with a broken tag, and not on the day of their click. */
function knownMillionths(
  conversions: readonly Conversion[],
  subject: number,
  day: number,
  today: number,
  isLost: Lost,
): number {
  let hundredths = 0;
  for (const [index, conversion] of conversions.entries()) {
    if (!isKnown(conversion, today - day)) continue;
    if (isLost(day + Math.floor(conversion.lagDays), uniform(subject, day, index))) continue;
    hundredths += conversion.hundredths;
  }
  return hundredths * 10_000;
}
