import type { CivilDate } from '../../src/domain/civil-date.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { firing } from './firing.ts';
import type { Variant } from './variant.ts';
import type { Change, FigureAt, Year } from './year.ts';

/**
 * The public holidays of Germany from April 2012 to March 2013, and the two days before holidays on which shops close early. Where
 * the account of the year sold is not known; these are the days on which its clicks fall.
 */
const HOLIDAYS: ReadonlySet<CivilDate> = new Set(
  [
    '2012-04-06',
    '2012-04-09',
    '2012-05-01',
    '2012-05-17',
    '2012-05-28',
    '2012-10-03',
    '2012-12-24',
    '2012-12-25',
    '2012-12-26',
    '2012-12-31',
    '2013-01-01',
    '2013-03-29',
  ].map(civilDate),
);

/** What a rule did. */
export interface Outcome {
  readonly name: string;
  /** How often it began to fire in the year as it was, for each year of a subject that is looked at. */
  readonly alarmsPerYear: number;
  /** How often of these on a day of the list of holidays. */
  readonly onHolidaysPerYear: number;
  /** By change: the share for which it began to fire on one of its days. */
  readonly found: readonly number[];
}

export interface Trial {
  readonly subjects: number;
  /** How many subjects had enough for at least thirty days. */
  readonly lookedAt: number;
  /** Days of subjects with enough, in years. */
  readonly years: number;
  /** How many changes were put in, each for each rule. */
  readonly changes: number;
  readonly outcomes: readonly Outcome[];
}

export interface Experiment {
  readonly year: Year;
  /** Fires for subjects that the others may say something about. */
  readonly lookedAt: Variant;
  readonly variants: readonly Variant[];
  readonly changes: readonly Change[];
}

/** The first day with four weeks and the days before them, and how far apart changes begin. */
const FIRST_DAY = 36;
const STEP = 5;

/** Tries the rules on the year as it was and on the year with changes in it, one change at a time. */
export function tryAnomalies(experiment: Experiment): Trial {
  const { year, lookedAt, variants, changes } = experiment;
  const all = Array.from({ length: year.subjects }, (_, subject) => subject);
  const looked = year.days.map((_, day) => firedOf(year, day, [lookedAt], all, year.figures)[0] ?? new Set<number>());
  const subjects = all.filter((subject) => looked.some((own) => own.has(subject)));
  const asItWas = year.days.map((_, day) => firedOf(year, day, variants, subjects, year.figures));
  const years = sum(looked.map(({ size }) => size)) / 365;
  const tested = changes.map((change) => testChange(experiment, subjects, change, { looked, asItWas }));
  return {
    subjects: year.subjects,
    years,
    changes: sum(tested.map(({ count }) => count)),
    lookedAt: subjects.filter((subject) => looked.filter((own) => own.has(subject)).length >= 30).length,
    outcomes: variants.map(({ name }, variant): Outcome => {
      const alarms = beginnings(asItWas.map((fired) => fired[variant]));
      const onHolidays = alarms.filter((_, day) => HOLIDAYS.has(year.days[day] as CivilDate));
      return {
        name,
        alarmsPerYear: sum(alarms) / years,
        onHolidaysPerYear: sum(onHolidays) / years,
        found: tested.map(({ found }) => found[variant] ?? 0),
      };
    }),
  };
}

interface Before {
  readonly looked: readonly Set<number>[];
  readonly asItWas: readonly (readonly (Set<number> | undefined)[])[];
}

/** Counts subjects that are looked at and for which the rule did not fire the day before anyway. */
function testChange(
  { year, variants }: Experiment,
  subjects: readonly number[],
  change: Change,
  { looked, asItWas }: Before,
): { readonly count: number; readonly found: readonly number[] } {
  const hits = variants.map(() => 0);
  const chances = variants.map(() => 0);
  let count = 0;
  for (let start = FIRST_DAY; start + change.days <= year.days.length; start += STEP) {
    const figures = year.changed(change, start);
    const days = Array.from({ length: change.days }, (_, day) => start + day);
    const fired = days.map((day) => firedOf(year, day, variants, subjects, figures));
    for (const subject of looked[start] ?? []) {
      count += 1;
      for (const variant of variants.keys()) {
        if (asItWas[start - 1]?.[variant]?.has(subject)) continue;
        chances[variant] = (chances[variant] ?? 0) + 1;
        if (fired.some((own) => own[variant]?.has(subject))) hits[variant] = (hits[variant] ?? 0) + 1;
      }
    }
  }
  return { count, found: hits.map((hit, variant) => hit / Math.max(1, chances[variant] ?? 0)) };
}

/** By variant. Rules that see a day at the same time, and skip the same holidays, are evaluated together. */
function firedOf(
  year: Year,
  day: number,
  variants: readonly Variant[],
  subjects: readonly number[],
  figures: FigureAt,
): (Set<number> | undefined)[] {
  const fired = new Map<Variant, Set<number> | undefined>();
  for (const own of Map.groupBy(variants, ({ waitDays, withHolidays }) => `${waitDays} ${withHolidays}`).values()) {
    const holidays = own[0]?.withHolidays ? HOLIDAYS : new Set<never>();
    const rules = own.map(({ rule }) => rule);
    const found = firing(year, day, { rules, waitDays: own[0]?.waitDays ?? 0, holidays, subjects, figures });
    for (const [place, variant] of own.entries()) fired.set(variant, found[place]);
  }
  return variants.map((variant) => fired.get(variant));
}

/** By day, how many begin: subjects that fire and did not when the rule was last evaluated. */
function beginnings(days: readonly (ReadonlySet<number> | undefined)[]): number[] {
  let before: ReadonlySet<number> = new Set();
  return days.map((fired) => {
    const count = [...(fired ?? [])].filter((subject) => !before.has(subject)).length;
    before = fired ?? before;
    return count;
  });
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
