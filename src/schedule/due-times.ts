import { Cron } from 'croner';
import { validateDetailed } from 'node-cron';

export interface Timetable {
  readonly cron: string;
  readonly timeZone: string;
}

/**
 * Milliseconds. A fixed time (no `*` or step in minutes and hours) is due exactly once a day. In a day that skips it:
 * right after the gap; in a day that repeats it: the first time. Others follow the wall clock.
 */
export function nextDue(job: Timetable, afterMs: number): number | undefined {
  const known = knownOf(job);
  // The next time after an instant stays the next one until it comes.
  if (afterMs < known.afterMs || afterMs >= known.nextMs) {
    known.nextMs = known.cron.nextRun(new Date(afterMs))?.getTime() ?? Number.POSITIVE_INFINITY;
    known.afterMs = afterMs;
  }
  return Number.isFinite(known.nextMs) ? known.nextMs : undefined;
}

/** After the first instant and up to the second one, oldest first. */
export function dueBetween(job: Timetable, afterMs: number, untilMs: number): number[] {
  const due: number[] = [];
  for (let next = nextDue(job, afterMs); next !== undefined && next <= untilMs; next = nextDue(job, next)) {
    due.push(next);
  }
  return due;
}

interface KnownTimetable {
  readonly cron: Cron;
  /** The last question; `nextMs` is its answer. */
  afterMs: number;
  nextMs: number;
}

const KNOWN = new Map<string, KnownTimetable>();

/** Throws `TypeError` with the reason for an invalid expression. */
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

/** Programs read L and W differently: last day, nearest weekday. Plain names such as jul and wed do not match. */
const EXOTIC = /^(?:\d*[lw]|lw|[a-z]{3}[lw])$/i;

/** A longer text may be a secret in the wrong place. */
const SHOWN_LENGTH_MAX = 60;

function quoted(text: string): string {
  return text.length <= SHOWN_LENGTH_MAX ? `"${text}"` : `a text of ${text.length} characters`;
}

/** The fault as the end of a sentence that begins with its place; undefined if the expression is valid. */
export function cronProblem(cron: string): string | undefined {
  const fields = cron.trim().split(/\s+/);
  if (fields.length !== FIELDS.length) {
    return `has ${fields.length === 1 ? 'one field' : `${fields.length} fields`}, expected five: minute, hour, day of the month, month, day of the week`;
  }
  for (const [index, [field, expected]] of FIELDS.entries()) {
    const text = fields[index] ?? '';
    const parts = text.split(/[,/-]/);
    if (PLAIN.test(text) && !parts.some((part) => EXOTIC.test(part))) continue;
    return `has ${quoted(text)} as ${WORDS[field] ?? field}, expected * or values, ranges and steps such as 1,15 or 8-18/2 from ${expected}`;
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
  return `cannot be read: ${reason}`;
}
