import type { CivilDate } from '../../domain/civil-date.ts';
import { unitKey } from './campaign-demand.ts';
import type { Account, Keyword, OpenGroup, Results } from './market.ts';
import { hashOf, uniform } from './random.ts';

export interface Conversion {
  /** Index of the click that led to the conversion, from 0. */
  readonly click: number;
  /** Below 100 if several clicks share a conversion. */
  readonly hundredths: number;
  /** In hundredths of a currency unit. */
  readonly valueHundredths: number;
  /** If false, only `all_conversions` counts the conversion. */
  readonly primary: boolean;
  /** Days from the start of the click's day until the service reports the conversion. */
  readonly lagDays: number;
  /** Days until the service removes the conversion. Infinite for most conversions. */
  readonly withdrawnDays: number;
}

/** The conversions of a click are final after this number of days. */
export const LAG_DAYS_MAX = 30;

export function resultsHash(seed: number, { customerId }: Account, unit: Keyword | OpenGroup): number {
  return hashOf(`results|${seed}|${customerId}|${unitKey(unit)}`);
}

/** The conversions that the service reports `ageDays` days after the start of `date`. */
export function conversionsOf(
  unitHash: number,
  date: CivilDate,
  clicks: number,
  results: Results,
  ageDays = LAG_DAYS_MAX,
): Conversion[] {
  return everyConversionOf(unitHash, date, clicks, results).filter((one) => isKnown(one, ageDays));
}

export function isKnown({ lagDays, withdrawnDays }: Conversion, ageDays: number): boolean {
  return lagDays <= ageDays && withdrawnDays > ageDays;
}

/** Includes conversions that the service later removes. */
export function everyConversionOf(
  unitHash: number,
  date: CivilDate,
  clicks: number,
  { conversionsPerClick, orderValue }: Results,
): Conversion[] {
  const day = hashOf(`conversions|${date}`);
  const draw = (place: number) => uniform(unitHash, day, place);
  const countOf = (rate: number, place: number) =>
    Math.floor(clicks * rate * (0.6 + 0.8 * draw(place)) + draw(place + 1));
  const primaries = conversionsPerClick === 0 ? 0 : countOf(conversionsPerClick, 0);
  const others = countOf(0.004, 2);
  const found: Conversion[] = [];
  for (let index = 0; index < primaries + others && clicks > 0; index += 1) {
    const own = (place: number) => draw(8 + 8 * index + place);
    const lagDays = own(0) < 0.5 ? own(1) : Math.min(LAG_DAYS_MAX, 1 - 4 * Math.log(1 - own(1)));
    const withdrawnDays = own(2) < 0.06 ? lagDays + own(3) * (LAG_DAYS_MAX - lagDays) : Number.POSITIVE_INFINITY;
    const hundredths = own(4) < 0.7 ? 100 : 10 + Math.floor(90 * own(5));
    const value = Math.round(orderValue * (0.6 + 0.8 * own(6)) * hundredths);
    const primary = index < primaries;
    found.push({
      click: Math.floor(own(7) * clicks),
      hundredths,
      valueHundredths: primary ? value : 0,
      primary,
      lagDays,
      withdrawnDays,
    });
  }
  return found;
}

/** Share of eligible impressions that a campaign loses to ads with a higher rank. */
export function rankLoss(campaignHash: number, date: CivilDate): number {
  return 0.08 + 0.27 * uniform(campaignHash, hashOf(`rank|${date}`), 0);
}
