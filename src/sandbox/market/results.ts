import type { CivilDate } from '../../domain/civil-date.ts';
import { unitKey } from './campaign-demand.ts';
import type { Account, Keyword, OpenGroup, Results } from './market.ts';
import { hashOf, uniform } from './random.ts';

/** Amounts are in hundredths, so that sums are whole numbers. */
export interface Conversion {
  /** Index of the click that led to it, from 0. */
  readonly click: number;
  /** Below 100 if several clicks share a conversion. */
  readonly hundredths: number;
  /** In hundredths of a currency unit. */
  readonly valueHundredths: number;
  /** False if only `all_conversions` counts it, such as a phone call. */
  readonly primary: boolean;
  /** Days from the start of the click's day until the service knows the conversion. */
  readonly lagDays: number;
  /** Days from the start of the click's day until the service removes the conversion. Infinite for most conversions. */
  readonly withdrawnDays: number;
}

/** After this number of days, the conversions of a click do not change any more. */
export const LAG_DAYS_MAX = 30;

/** The random conversions of a unit are computed from this hash. */
export function resultsHash(seed: number, { customerId }: Account, unit: Keyword | OpenGroup): number {
  return hashOf(`results|${seed}|${customerId}|${unitKey(unit)}`);
}

/** Conversions of a day's clicks that the service counts `ageDays` after the day began. Default: the final ones. */
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

/** All conversions of a day's clicks, including those that the service later removes. */
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

/** Share of the eligible impressions that a campaign loses to ads that rank higher. */
export function rankLoss(campaignHash: number, date: CivilDate): number {
  return 0.08 + 0.27 * uniform(campaignHash, hashOf(`rank|${date}`), 0);
}
