import { count } from '../../report/text-layout.ts';
import type { Check } from '../../views/doctor.ts';
import { checksOf } from './make-check.ts';

const { ok, warning, failed } = checksOf('services');

/** The date of an answer, and the time of this machine half-way between request and answer, milliseconds. */
export interface DateSeen {
  readonly host: string;
  readonly date: string;
  readonly ownMs: number;
}

/** Dates of answers are whole seconds. */
const WARN_S = 30;
/** Tokens and signatures are refused by clocks that are further apart, and days begin at the wrong time. */
const FAIL_S = 300;

/** How far this machine's clock is from that of the services; the nearest of them counts, for one of them may be wrong itself. */
export function checkSkew(dates: readonly DateSeen[]): Check[] {
  const offs = dates.flatMap(({ host, date, ownMs }) => {
    const theirs = Date.parse(date);
    return Number.isNaN(theirs) ? [] : [{ host, seconds: Math.round((ownMs - theirs) / 1000) }];
  });
  const [nearest] = offs.toSorted((one, other) => Math.abs(one.seconds) - Math.abs(other.seconds));
  if (nearest === undefined) return [];
  const apart = Math.abs(nearest.seconds);
  const expected = `less than ${WARN_S} seconds between this machine and a service`;
  if (apart < WARN_S) return [ok('clock', { found: `right by that of ${nearest.host}`, expected })];
  const found = `${spanText(apart)} ${nearest.seconds > 0 ? 'ahead of' : 'behind'} ${nearest.host}`;
  const nextStep = 'Let this machine set its clock by the network (timedatectl set-ntp true).';
  return [(apart < FAIL_S ? warning : failed)('clock', { found, expected, nextStep })];
}

function spanText(seconds: number): string {
  if (seconds < 120) return count(seconds, 'second');
  if (seconds < 2 * 3600) return count(Math.round(seconds / 60), 'minute');
  return seconds < 2 * 86_400 ? count(Math.round(seconds / 3600), 'hour') : count(Math.round(seconds / 86_400), 'day');
}
