import { validateDetailed } from 'node-cron';
import { nextDue } from './due-times.ts';

const FIELDS = [
  ['minute', '0 to 59'],
  ['hour', '0 to 23'],
  ['dayOfMonth', '1 to 31'],
  ['month', '1 to 12 or jan to dec'],
  ['dayOfWeek', '0 to 7 or sun to sat, where 0 and 7 are Sunday'],
] as const;

const WORDS: Readonly<Record<string, string>> = { dayOfMonth: 'day of the month', dayOfWeek: 'day of the week' };

/** `*`, a value or a range, each with or without a step where that has a meaning, in a list. */
const PLAIN = /^(?:\*(?:\/\d+)?|\w+(?:-\w+(?:\/\d+)?)?)(?:,(?:\*(?:\/\d+)?|\w+(?:-\w+(?:\/\d+)?)?))*$/;

/** Letters that other programs read in many ways: the last day, the nearest weekday. Names have three letters: jul and wed are none of them. */
const EXOTIC = /^(?:\d*[lw]|lw|[a-z]{3}[lw])$/i;

/** Longer than anything that belongs there, it may be a secret that went to the wrong place. */
const SHOWN_LENGTH_MAX = 60;

function quoted(text: string): string {
  return text.length <= SHOWN_LENGTH_MAX ? `"${text}"` : `a text of ${text.length} characters`;
}

/** What is wrong with the expression, as the end of a sentence that begins with its place; undefined for nothing. */
export function cronProblem(cron: string): string | undefined {
  const fields = cron.trim().split(/\s+/);
  if (fields.length !== FIELDS.length) {
    return `has ${fields.length === 1 ? 'one field' : `${fields.length} fields`}, expected five: minute, hour, day of the month, month, day of the week`;
  }
  for (const [index, [field, expected]] of FIELDS.entries()) {
    const text = fields[index] ?? '';
    const parts = text.split(/[,/-]/);
    if (PLAIN.test(text) && !parts.some((part) => EXOTIC.test(part))) continue;
    return `has ${quoted(text)} for its ${WORDS[field] ?? field}, expected * or values, ranges and steps such as 1,15 or 8-18/2 from ${expected}`;
  }
  try {
    if (nextDue({ cron: fields.join(' '), timeZone: 'UTC' }, 0) === undefined) {
      return 'can never be: no month that it names has such a day';
    }
  } catch (error) {
    return refusal(fields.join(' '), error);
  }
  return undefined;
}

/** The field that is wrong, where that can be told; else the reason of who reads the expression. */
function refusal(cron: string, error: unknown): string {
  const wrong = validateDetailed(cron).errors[0];
  const found = FIELDS.find(([field]) => field === wrong?.field);
  if (wrong?.value !== undefined && found) {
    const [field, expected] = found;
    return `has ${quoted(wrong.value)} for its ${WORDS[field] ?? field}, expected ${expected}`;
  }
  const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
  return `cannot be read: ${reason}`;
}
