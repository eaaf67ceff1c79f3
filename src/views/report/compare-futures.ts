import { rational, roundHalfAway } from '../../domain/rational.ts';
import { grouped } from '../../domain/wording.ts';
import { addUp, type SimulatedSums, type SimulationResult } from '../../language/results/simulation-result.ts';

export function differenceText(now: bigint, before: bigint): string {
  if (before === 0n) return '';
  const tenths = Number(roundHalfAway(rational((now - before) * 1000n, before))) / 10;
  return `${tenths > 0 ? '+' : ''}${tenths.toFixed(1)}%`;
}

export function monthsOf({ byDay }: SimulationResult): {
  readonly month: string;
  readonly days: number;
  readonly with: SimulatedSums;
  readonly without: SimulatedSums;
}[] {
  return grouped(byDay, ({ date }) => date.slice(0, 7)).map((days) => ({
    month: days[0]?.date.slice(0, 7) ?? '',
    days: days.length,
    with: addUp(days.map((day) => day.with)),
    without: addUp(days.map((day) => day.without)),
  }));
}
