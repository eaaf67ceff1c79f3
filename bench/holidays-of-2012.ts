import type { CivilDate } from '../src/domain/civil-date.ts';
import { civilDate } from '../src/domain/parse-civil-date.ts';

/**
 * The public holidays of Germany from April 2012 to March 2013, and the two days before holidays on which shops close early. Where
 * the account of the year sold is not known; these are the days on which its clicks fall.
 */
export const HOLIDAYS: ReadonlySet<CivilDate> = new Set(
  [
    ...['2012-04-06', '2012-04-09', '2012-05-01', '2012-05-17', '2012-05-28', '2012-10-03'],
    ...['2012-12-24', '2012-12-25', '2012-12-26', '2012-12-31', '2013-01-01', '2013-03-29'],
  ].map(civilDate),
);
