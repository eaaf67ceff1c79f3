import { type CivilDate, civilDateAt, daysBetween } from '../../../domain/civil-date.ts';
import { civilDate } from '../../../domain/parse-civil-date.ts';

/** Only days that the provider has announced. The service refuses the version from this day on. */
const SUNSETS: ReadonlyMap<string, CivilDate> = new Map([['v22', civilDate('2026-10-07')]]);

const WARNED_DAYS = 60;

export interface Sunset {
  readonly version: string;
  readonly day: CivilDate;
  /** Zero or less if the version has ended. */
  readonly daysLeft: number;
}

/** Undefined if the last day of the version is unknown. */
export function sunsetOf(version: string, nowMs: number): Sunset | undefined {
  const day = SUNSETS.get(version);
  return day && { version, day, daysLeft: daysBetween(civilDateAt(nowMs, 'UTC'), day) };
}

export function isSunsetNear(sunset: Sunset | undefined): sunset is Sunset {
  return sunset !== undefined && sunset.daysLeft <= WARNED_DAYS;
}

export function sunsetWords({ version, day, daysLeft }: Sunset): string {
  const what = `${version} of the advertising interface`;
  if (daysLeft <= 0) return `${what} ended on ${day}`;
  return `${what} ends on ${day}, in ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'}`;
}

export const UPGRADE_STEP = 'Set ads.version to a newer version (docs/upgrade.md).';
