import type { CivilDate } from '../../src/domain/civil-date.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { uniform } from '../../src/sandbox/market/random.ts';
import { type Grain, LOOKED_AT, ruleOf, type Variant } from './anomaly-rules.ts';
import { type ClicksAt, firing, type Year } from './real-year.ts';

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

/** A drop that is put into the year: so many days lose this share of their clicks. */
export interface Drop {
  readonly share: number;
  readonly days: number;
  /** The same days of the week before lose the share, too: what history then says of the weekday is wrong. */
  readonly afterBadWeek?: boolean;
}

/** What a rule did. */
export interface Outcome {
  readonly name: string;
  /** How often it began to fire in the year as it was, for each year of a subject that is looked at. */
  readonly alarmsPerYear: number;
  /** How often of these on a day of the list of holidays. */
  readonly onHolidaysPerYear: number;
  /** Of the drops, by their place, the share that it told of on one of their days. */
  readonly found: readonly number[];
}

export interface Trial {
  readonly grain: Grain;
  readonly subjects: number;
  /** How many subjects had enough clicks for at least thirty days. */
  readonly lookedAt: number;
  /** Days of subjects with enough clicks, in years. */
  readonly years: number;
  /** How many drops were put in, each for each rule. */
  readonly drops: number;
  readonly outcomes: readonly Outcome[];
}

/** The first day with four weeks and the days before them, and how far apart drops begin. */
const FIRST_DAY = 36;
const STEP = 5;

/** Tries the rules on the year as it was and on the year with drops in it, one drop at a time. */
export function tryAnomalies(year: Year, variants: readonly Variant[], drops: readonly Drop[]): Trial {
  const looked = year.days.map(
    (_, day) => firedOf(year, day, [LOOKED_AT], all(year), year.clicks)[0] ?? new Set<number>(),
  );
  const subjects = all(year).filter((subject) => looked.some((own) => own.has(subject)));
  const asItWas = year.days.map((_, day) => firedOf(year, day, variants, subjects, year.clicks));
  const years = sum(looked.map(({ size }) => size)) / 365;
  const tested = drops.map((drop) => testDrop(year, variants, subjects, drop, { looked, asItWas }));
  return {
    grain: year.grain,
    subjects: year.subjects,
    years,
    drops: sum(tested.map(({ count }) => count)),
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

/** Of subjects with enough clicks of which the rule did not fire the day before anyway. */
function testDrop(
  year: Year,
  variants: readonly Variant[],
  subjects: readonly number[],
  drop: Drop,
  { looked, asItWas }: Before,
): { readonly count: number; readonly found: readonly number[] } {
  const hits = variants.map(() => 0);
  const chances = variants.map(() => 0);
  let count = 0;
  for (let start = FIRST_DAY; start + drop.days <= year.days.length; start += STEP) {
    const clicks = withDrop(year.clicks, start, drop);
    const days = Array.from({ length: drop.days }, (_, day) => start + day);
    const fired = days.map((day) => firedOf(year, day, variants, subjects, clicks));
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

/** Each click of the days is lost with the drop's probability, by a draw that is the same for every rule and every run. */
function withDrop(clicks: ClicksAt, start: number, { share, days, afterBadWeek = false }: Drop): ClicksAt {
  const isWithin = (day: number, from: number) => day >= from && day < from + days;
  return (subject, day) => {
    const count = clicks(subject, day);
    if (count === undefined || !(isWithin(day, start) || (afterBadWeek && isWithin(day, start - 7)))) return count;
    let kept = 0;
    for (let click = 0; click < count; click += 1) if (uniform(subject, day, click) >= share) kept += 1;
    return kept;
  };
}

/** By variant. Those with the list of holidays are evaluated with it. */
function firedOf(
  year: Year,
  day: number,
  variants: readonly Variant[],
  subjects: readonly number[],
  clicks: ClicksAt,
): (Set<number> | undefined)[] {
  const found: (Set<number> | undefined)[] = variants.map(() => undefined);
  for (const withHolidays of [false, true]) {
    const own = [...variants.keys()].filter((place) => (variants[place]?.withHolidays ?? false) === withHolidays);
    const rules = own.flatMap((place) => checked(variants[place], year.grain));
    if (rules.length === 0) continue;
    const holidays = withHolidays ? HOLIDAYS : new Set<never>();
    const fired = firing(year, day, { rules, holidays, subjects, clicks });
    for (const [index, place] of own.entries()) found[place] = fired[index];
  }
  return found;
}

const known = new Map<string, ReturnType<typeof ruleOf>>();

function checked(variant: Variant | undefined, grain: Grain): ReturnType<typeof ruleOf>[] {
  if (variant === undefined) return [];
  const key = `${grain} ${variant.text}`;
  const rule = known.get(key) ?? ruleOf(variant, grain);
  known.set(key, rule);
  return [rule];
}

/** By day, how many would be told of: subjects that fire and did not when the rule was last evaluated. */
function beginnings(days: readonly (ReadonlySet<number> | undefined)[]): number[] {
  let before: ReadonlySet<number> = new Set();
  return days.map((fired) => {
    const count = [...(fired ?? [])].filter((subject) => !before.has(subject)).length;
    before = fired ?? before;
    return count;
  });
}

const all = ({ subjects }: Year): number[] => Array.from({ length: subjects }, (_, subject) => subject);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
