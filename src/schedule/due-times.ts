import { Cron } from 'croner';

/** When something is due: a cron expression of five fields, on the calendar of a time zone. */
export interface Timetable {
  readonly cron: string;
  /** IANA name. */
  readonly timeZone: string;
}

/**
 * The first due time after `afterMs`, milliseconds; undefined when there is none. A fixed time, which is one without `*` and
 * without a step in its minutes and hours, is due once a day: in a day that leaves it out at the first instant after the gap,
 * in a day that has it twice at the first of both. Any other expression is due whenever the clock on the wall shows it.
 */
export function nextDue(job: Timetable, afterMs: number): number | undefined {
  const known = knownOf(job);
  // What is next after an instant is next after each later one until it comes.
  if (afterMs < known.afterMs || afterMs >= known.nextMs) {
    known.nextMs = known.cron.nextRun(new Date(afterMs))?.getTime() ?? Number.POSITIVE_INFINITY;
    known.afterMs = afterMs;
  }
  return Number.isFinite(known.nextMs) ? known.nextMs : undefined;
}

/** The due times after the first instant and up to the second one, oldest first. */
export function dueBetween(job: Timetable, afterMs: number, untilMs: number): number[] {
  const due: number[] = [];
  for (let next = nextDue(job, afterMs); next !== undefined && next <= untilMs; next = nextDue(job, next)) {
    due.push(next);
  }
  return due;
}

interface KnownTimetable {
  readonly cron: Cron;
  /** Asked and answered last. */
  afterMs: number;
  nextMs: number;
}

const KNOWN = new Map<string, KnownTimetable>();

/** Throws `TypeError` with its reason for an expression that is none. */
function knownOf({ cron, timeZone }: Timetable): KnownTimetable {
  const key = `${timeZone} ${cron}`;
  const known = KNOWN.get(key);
  if (known) return known;
  const options = { timezone: timeZone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true } as const;
  const made = { cron: new Cron(cron, options), afterMs: Number.POSITIVE_INFINITY, nextMs: Number.NEGATIVE_INFINITY };
  KNOWN.set(key, made);
  return made;
}
