const DAYS_IN: Readonly<Record<string, number>> = { day: 1, week: 7, fortnight: 14 };

/**
 * The right words for days that are written as a person says them: "last 7 days", "this month", "1 week", "yesterday".
 * Undefined for what names no days. `text` is what stands from the first such word on; `isSum` says that "over" is right
 * before it.
 */
export function windowHint(text: string, isSum: boolean): string | undefined {
  return hintFor(text, isSum, (how, days) => `${how} ${days}`);
}

type Written = (how: 'over' | 'on', days: string) => string;

function hintFor(text: string, isSum: boolean, written: Written): string | undefined {
  const words = text.trim().toLowerCase();
  const counted = /^(?:(last|past|previous)\s+)?(\d{1,3})\s+(day|week|fortnight)s?\b/.exec(words);
  if (counted) {
    const [, which, count, unit = ''] = counted;
    const days = Number(count) * (DAYS_IN[unit] ?? 1);
    const previous = which === 'previous' ? 'previous ' : '';
    return `Write ${written('over', `${previous}${days} ${days === 1 ? 'day' : 'days'}`)}.`;
  }
  if (/^(last|past|previous) week\b/.test(words)) return `Write ${written('over', '7 days')}.`;
  if (/^this week\b/.test(words)) return `Write ${written('over', '7 days')}: weeks are counted back from yesterday.`;
  if (/^((this|last|past|previous) month|\d{1,2} months?)\b/.test(words)) {
    return `Write ${written('over', 'month to date')}, or ${written('over', '30 days')}.`;
  }
  if (/^(month to date|mtd)\b/.test(words)) return `Write ${written('over', 'month to date')}.`;
  const day = /^(yesterday|today)\b/.exec(words)?.[1];
  if (day !== undefined) return `Write ${written('on', day)}.`;
  const weekday = /^same weekday over (\d{1,3}) weeks?\b/.exec(words);
  if (weekday && isSum) return `Write same weekday over ${weekday[1]} weeks, without "over" before it.`;
  return undefined;
}

/** The same for `over:` of a rule file, where the days stand alone. */
export function ownWindowHint(text: string): string | undefined {
  const words = text.trim().replace(/^(over|on)\s+/i, '');
  if (/^(previous|same)\b/i.test(words)) return 'Such days belong behind a metric in "when".';
  const written: Written = (_how, days) => `over: ${days}`;
  return /^(\d+ days?|month to date|yesterday|today)$/i.test(words)
    ? `Write ${written('over', words)}.`
    : hintFor(words, false, written);
}
