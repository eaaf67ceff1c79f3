import type { CivilDate } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { multiply, rational, roundHalfAway } from '../../domain/rational.ts';
import { grouped } from '../../domain/wording.ts';
import type { SimulatedTarget } from '../../language/results/simulation-result.ts';
import type { OfTargets } from '../../language/rules/pacing/evaluate-pace.ts';
import type { PaceReading } from '../../language/rules/pacing/pace.ts';
import type { Simulation } from './simulate-account.ts';

interface MemberReading {
  readonly target: string;
  readonly customer: CustomerId;
  readonly reading: PaceReading;
}

/** The cost of each target's budgets in each month or flight, in the target's currency. */
export function sumUpTargets(
  decided: ReadonlyMap<CivilDate, ReadonlyMap<CustomerId, OfTargets>>,
  simulations: readonly Simulation[],
): SimulatedTarget[] {
  const readings = [...decided.values()].flatMap((ofDay) => [...ofDay].flatMap(readingsOf));
  return grouped(readings, ({ target, reading }) => `${target} ${reading.period.from}`).flatMap((own) => {
    const last = own.at(-1);
    if (last === undefined) return [];
    const { period, currency, target } = last.reading;
    const spent = (side: 'with' | 'without') =>
      grouped(own, ({ customer }) => customer).reduce(
        (sum, ofMember) => sum + spentBy(ofMember, side, simulations),
        0n,
      );
    return [
      {
        target: last.target,
        currency,
        ...period,
        targetMicros: roundHalfAway(target),
        withMicros: spent('with'),
        withoutMicros: spent('without'),
      },
    ];
  });
}

function readingsOf([customer, ofTargets]: [CustomerId, OfTargets]): MemberReading[] {
  if (ofTargets.kind !== 'decided') return [];
  return [...ofTargets.parts].flatMap(([target, part]) =>
    part.kind === 'paced' ? [{ target, customer, reading: part.finding.reading }] : [],
  );
}

function spentBy(own: readonly MemberReading[], side: 'with' | 'without', simulations: readonly Simulation[]): bigint {
  const last = own.at(-1);
  const simulation = simulations.find(({ market }) => market.account.customerId === last?.customer);
  if (last === undefined || simulation === undefined) return 0n;
  const { period, rate } = last.reading;
  const paced = new Set(own.flatMap(({ reading }) => reading.budgets.map(({ budgetId }) => budgetId)));
  const places = simulation.market.account.budgets.flatMap(({ id }, place) => (paced.has(id) ? [place] : []));
  const sum = simulation[side]
    .filter(({ date }) => period.from <= date && date <= period.to)
    .flatMap(({ byBudget }) => places.map((place) => byBudget[place]?.spendMicros ?? 0n))
    .reduce((all, spend) => all + spend, 0n);
  return rate === undefined ? sum : roundHalfAway(multiply(rational(sum), rate.rate));
}
