import { addDays, type CivilDate, civilDate, type DateRange, daysBetween } from '../domain/civil-date.ts';
import type { Shock } from './campaign-demand.ts';
import { hashOf, uniform } from './random.ts';

/** What befalls a campaign of a simulated market: many more searches, hardly any, or dearer clicks. */
export type ShockKind = 'surge' | 'collapse' | 'dear_clicks';

export interface ShockDays extends DateRange {
  readonly kind: ShockKind;
}

const EFFECTS: Readonly<Record<ShockKind, Shock>> = {
  surge: { demandTimes: 2, clickCostTimes: 1 },
  collapse: { demandTimes: 0.1, clickCostTimes: 1 },
  dear_clicks: { demandTimes: 1, clickCostTimes: 1.5 },
};

const EPOCH = civilDate('2020-01-01');
/** A campaign has at most one shock in so many days; it begins and ends within them. */
const STRETCH_DAYS = 28;
const CHANCE = 0.45;

/** Which four weeks hold the date. */
export const stretchOf = (date: CivilDate): number => Math.floor(daysBetween(EPOCH, date) / STRETCH_DAYS);

/**
 * The shock that a campaign has in the four weeks; undefined where it has none. It follows from the seed, the campaign and
 * the calendar alone, so that what rules do changes nothing of it.
 */
export function shockIn(seed: number, campaign: string, stretch: number): ShockDays | undefined {
  const who = hashOf(`shock|${seed}|${campaign}`);
  const draw = (number: number) => uniform(who, stretch, number);
  if (draw(0) >= CHANCE) return undefined;
  const kind = draw(1) < 0.4 ? 'surge' : draw(1) < 0.7 ? 'collapse' : 'dear_clicks';
  const days = kind === 'surge' ? 3 + Math.floor(draw(2) * 4) : kind === 'collapse' ? 1 : 7;
  const from = addDays(EPOCH, stretch * STRETCH_DAYS + Math.floor(draw(3) * (STRETCH_DAYS - days + 1)));
  return { kind, from, to: addDays(from, days - 1) };
}

/** How the shock, if it is on, changes the campaign's day. */
export function effectOn(shock: ShockDays | undefined, date: CivilDate): Shock | undefined {
  return shock !== undefined && shock.from <= date && date <= shock.to ? EFFECTS[shock.kind] : undefined;
}
