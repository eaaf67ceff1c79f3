import { Cron } from 'croner';
import { validateDetailed } from 'node-cron';
import { Temporal } from 'temporal-polyfill';

export interface Timetable {
  readonly cron: string;
  readonly timeZone: string;
}

/** Returns milliseconds. A job with a fixed time of day runs once a day, even when clocks change. */
export function nextDue(job: Timetable, afterMs: number): number | undefined {
  const known = knownOf(job);
  // `known` is a cache: between its two times, the next due time stays the same.
  if (afterMs < known.afterMs || afterMs >= known.nextMs) {
    const nextMs = known.cron.nextRun(new Date(afterMs))?.getTime();
    known.nextMs = nextMs === undefined ? Number.POSITIVE_INFINITY : (endOfGap(job, afterMs, nextMs) ?? nextMs);
    known.afterMs = afterMs;
  }
  return Number.isFinite(known.nextMs) ? known.nextMs : undefined;
}

/** Due times after `afterMs`, up to and including `untilMs`. */
export function dueBetween(job: Timetable, afterMs: number, untilMs: number): number[] {
  const due: number[] = [];
  for (let next = nextDue(job, afterMs); next !== undefined && next <= untilMs; next = nextDue(job, next)) {
    due.push(next);
  }
  return due;
}

/**
 * If a clock change skips a fixed time, Croner runs it at the end of the gap. If the gap ends at midnight, Croner loses
 * the time (America/Nuuk, from 23:00). Returns the end of such a gap before `nextMs`.
 */
function endOfGap({ cron, timeZone }: Timetable, afterMs: number, nextMs: number): number | undefined {
  if (cron.trim().split(/\s+/, 2).join().includes('*')) return undefined;
  const after = Temporal.Instant.fromEpochMilliseconds(Math.max(afterMs, 0)).toZonedDateTimeISO(timeZone);
  for (let at = after.getTimeZoneTransition('next'); at; at = at.getTimeZoneTransition('next')) {
    const endMs = at.epochMilliseconds;
    if (endMs >= nextMs) return undefined;
    const gapMs = (at.offsetNanoseconds - at.subtract({ nanoseconds: 1 }).offsetNanoseconds) / 1_000_000;
    if (gapMs <= 0 || at.hour > 0 || at.minute > 0) continue;
    const wallEndMs = endMs + at.offsetNanoseconds / 1_000_000;
    // As UTC, the wall clock has no gap.
    const skipped = knownOf({ cron, timeZone: 'UTC' }).cron.nextRun(new Date(wallEndMs - gapMs - 1000));
    if (skipped && skipped.getTime() < wallEndMs) return endMs;
  }
  return undefined;
}

interface KnownTimetable {
  readonly cron: Cron;
  afterMs: number;
  nextMs: number;
}

const KNOWN = new Map<string, KnownTimetable>();

/** Throws an error if the cron expression is invalid. */
function knownOf({ cron, timeZone }: Timetable): KnownTimetable {
  const key = `${timeZone} ${cron}`;
  const known = KNOWN.get(key);
  if (known) return known;
  const options = { timezone: timeZone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true } as const;
  const made = { cron: new Cron(cron, options), afterMs: Number.POSITIVE_INFINITY, nextMs: Number.NEGATIVE_INFINITY };
  KNOWN.set(key, made);
  return made;
}

const FIELDS = [
  ['minute', '0 to 59'],
  ['hour', '0 to 23'],
  ['dayOfMonth', '1 to 31'],
  ['month', '1 to 12 or jan to dec'],
  ['dayOfWeek', '0 to 7 or sun to sat, where 0 and 7 are Sunday'],
] as const;

const WORDS: Readonly<Record<string, string>> = { dayOfMonth: 'day of the month', dayOfWeek: 'day of the week' };

const PLAIN = /^(?:\*(?:\/\d+)?|\w+(?:-\w+(?:\/\d+)?)?)(?:,(?:\*(?:\/\d+)?|\w+(?:-\w+(?:\/\d+)?)?))*$/;

/** Matches L (last day) and W (nearest weekday), because cron programs treat L and W differently. */
const EXOTIC = /^(?:\d*[lw]|lw|[a-z]{3}[lw])$/i;

/** Messages hide longer texts, because a longer text may be a misplaced secret. */
const SHOWN_LENGTH_MAX = 60;

function quoted(text: string): string {
  return text.length <= SHOWN_LENGTH_MAX ? `"${text}"` : `a text of ${text.length} characters`;
}

/** Returns the problem as words that follow the setting's name. Undefined if the expression is valid. */
export function cronProblem(cron: string): string | undefined {
  const fields = cron.trim().split(/\s+/);
  if (fields.length !== FIELDS.length) {
    return `has ${fields.length === 1 ? 'one field' : `${fields.length} fields`}, expected five: minute, hour, day of the month, month, day of the week`;
  }
  for (const [index, [field, expected]] of FIELDS.entries()) {
    const text = fields[index] ?? '';
    const parts = text.split(/[,/-]/);
    if (PLAIN.test(text) && !parts.some((part) => EXOTIC.test(part))) continue;
    return `has ${quoted(text)} as ${WORDS[field] ?? field}, expected a form such as "*", "1,15" or "8-18/2" with values from ${expected}`;
  }
  try {
    if (nextDue({ cron: fields.join(' '), timeZone: 'UTC' }, 0) === undefined) {
      return 'never occurs: its months do not have this day';
    }
  } catch (error) {
    return refusal(fields.join(' '), error);
  }
  return undefined;
}

function refusal(cron: string, error: unknown): string {
  const wrong = validateDetailed(cron).errors[0];
  const found = FIELDS.find(([field]) => field === wrong?.field);
  if (wrong?.value !== undefined && found) {
    const [field, expected] = found;
    return `has ${quoted(wrong.value)} as ${WORDS[field] ?? field}, expected ${expected}`;
  }
  const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
  return `is invalid: ${reason}`;
}
