/** A minute as a clock on a wall shows it. */
export interface WallMinute {
  readonly atMs: number;
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  /** 0 for Sunday. */
  readonly weekday: number;
  /** Minutes since the first day of the year 0, as if no clock was ever changed. */
  readonly wall: number;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Every minute between two instants, asked of the calendar one by one. */
export function wallMinutes(timeZone: string, fromMs: number, toMs: number): WallMinute[] {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const minutes: WallMinute[] = [];
  for (let atMs = fromMs; atMs <= toMs; atMs += 60_000) {
    const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
    const number = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
    const year = number('year');
    const month = number('month');
    const day = number('day');
    const hour = number('hour');
    const minute = number('minute');
    const wall = Date.UTC(year, month - 1, day, hour, minute) / 60_000;
    minutes.push({ atMs, minute, hour, day, month, weekday: WEEKDAYS.indexOf(parts.get('weekday') ?? ''), wall });
  }
  return minutes;
}

/** What is due in those minutes by the plain meaning of the expression, found by looking at each of them. */
export function dueByHand(cron: string, minutes: readonly WallMinute[]): number[] {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.split(' ');
  const isDay = (of: Pick<WallMinute, 'day' | 'weekday'>) => {
    const byDay = matches(day, of.day, 1, 31);
    const byWeekday = matches(weekday, of.weekday, 0, 6);
    return day === '*' || weekday === '*' ? byDay && byWeekday : byDay || byWeekday;
  };
  const isDue = (of: WallMinute) =>
    matches(minute, of.minute, 0, 59) && matches(hour, of.hour, 0, 23) && matches(month, of.month, 1, 12) && isDay(of);
  const isFixed = !/[*/]/.test(minute + hour);
  if (!isFixed) return minutes.filter(isDue).map(({ atMs }) => atMs);
  const due = new Set<number>();
  const shown = new Set<number>();
  let before: WallMinute | undefined;
  for (const now of minutes) {
    // The minutes that no clock has shown stand for the first one after them.
    for (let wall = (before?.wall ?? now.wall) + 1; wall < now.wall; wall++) {
      if (isDue(minuteOf(wall, now.atMs))) due.add(now.atMs);
    }
    if (!shown.has(now.wall) && isDue(now)) due.add(now.atMs);
    shown.add(now.wall);
    before = now;
  }
  return [...due].sort((a, b) => a - b);
}

function minuteOf(wall: number, atMs: number): WallMinute {
  const date = new Date(wall * 60_000);
  return {
    atMs,
    wall,
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
  };
}

function matches(field: string, value: number, from: number, to: number): boolean {
  return field.split(',').some((part) => {
    const [range = '', step = '1'] = part.split('/');
    const [first = '', last = first] = range === '*' ? [String(from), String(to)] : range.split('-');
    return value >= Number(first) && value <= Number(last) && (value - Number(first)) % Number(step) === 0;
  });
}
