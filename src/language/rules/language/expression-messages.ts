import type { IParserErrorMessageProvider } from 'chevrotain';
import { WEEKDAYS } from '../../../domain/civil-date.ts';
import { didYouMean } from '../../gaql/check/suggest.ts';

const VALUE = 'a value: a column, a number, text in quotes or a value in parentheses';
const WINDOW =
  'a window such as "over 7 days" or "same weekday over 4 weeks". Also valid: "over previous 7 days", "over month to date", "on yesterday", "on today"';
export const CHANGE =
  '"increase budget by 10%", "decrease budget by 5", "set budget to 1.1 * budget" or "pace budget to 3000 per month"';

const BY_RULE: Readonly<Record<string, string>> = {
  change: CHANGE,
  period: '"per month" or "from 2026-11-20 to 2026-12-24"',
  day: 'a day such as 2026-11-20',
  weekdays: 'a weekday such as Monday, or Monday to Friday',
  window: '"until now" after the window',
  daysOfWindow: WINDOW,
  overWindow: WINDOW,
  primary: VALUE,
  factor: VALUE,
  inversion: VALUE,
  comparison: VALUE,
  member: 'BETWEEN, IN or LIKE after NOT',
  between: 'AND between the two values of BETWEEN',
  list: 'a list in parentheses such as IN (1, 2), or a column of labels',
  like: "a pattern in quotes such as 'Brand%', where % stands for any text",
  nullTest: 'NULL or NOT NULL after IS',
  parenthesis: 'an operator or the closing parenthesis',
  call: 'a comma or the closing parenthesis',
};

const expected = (rule: string): string => BY_RULE[rule] ?? VALUE;

/** Each message is only the text after "expected". */
export const expressionMessages: IParserErrorMessageProvider = {
  buildMismatchTokenMessage: ({ ruleName }) => expected(ruleName),
  buildNoViableAltMessage: ({ ruleName }) => expected(ruleName),
  buildEarlyExitMessage: ({ ruleName }) => expected(ruleName),
  buildNotAllInputParsedMessage: ({ ruleName }) => {
    if (ruleName === 'condition') return 'a comparison such as "clicks >= 30", joined with AND or OR';
    return ruleName === 'change' ? `the end: a change is ${CHANGE}` : '+, -, *, / or the end of the value';
  },
};

const WRITE: Readonly<Record<string, string>> = {
  '==': '=',
  '<>': '!=',
  '=<': '<=',
  '=>': '>=',
  '&&': 'AND',
  '||': 'OR',
  '!': 'NOT',
};

const DAYS = /^(over|on|same|this|last|past|previous|(day|week|month)s?|mtd|yesterday|today|until|now)$/i;

export function wordHint(word: string, before: string, behind: string): string | undefined {
  const instead = WRITE[word];
  if (word === '=' && /[<>!]$/.test(before)) return `Write "${before.slice(-1)}=" without a space.`;
  if (word === '!' && /^\s+=/.test(behind)) return 'Write "!=" without a space.';
  if (instead !== undefined) return `Write "${instead}".`;
  if (word === ',' && /\d$/.test(before) && /^\d/.test(behind)) return 'Write numbers without separators: 1000, 2.50.';
  if (/^null$/i.test(word)) return 'Write "IS NULL" or "IS NOT NULL".';
  const weekday = /^\s*set\b.*\b(on|to|and)$/is.test(before) ? didYouMean(word, WEEKDAYS) : undefined;
  if (weekday !== undefined) return weekday;
  if (DAYS.test(word) && !/^\s*pace\b/i.test(before))
    return 'Write days as "over 7 days", "over month to date" or "on today".';
  return textHint(word, before);
}

function textHint(word: string, before: string): string | undefined {
  if (/^['"]/.test(word) && before.endsWith(word.charAt(0)))
    return "Write a backslash before a quote within a text: 'it\\'s'.";
  if (/\d$/.test(before) && CURRENCY.test(word)) {
    const code = /^[A-Z]{3}$/i.test(word) ? word.toUpperCase() : 'EUR';
    return `Remove ${word}. Set the currency with its own key: "currency: ${code}".`;
  }
  const begun = /[!=]=?\s*([a-z]\w*)$/i.exec(before)?.[1];
  return begun !== undefined && /^[a-z]\w*$/i.test(word) ? `Put text in quotes: '${begun} ${word}'.` : undefined;
}

const CURRENCY = /^([A-Z]{3}|eur|usd|gbp|chf|jpy|euros?|dollars?|pounds?|francs?|yen)$/;

const SIGNS: Readonly<Record<string, string>> = {
  '≥': '>=',
  '≤': '<=',
  '≠': '!=',
  '×': '*',
  '÷': '/',
  '−': '-',
  '–': '-',
};

export function signHint(sign: string, before: string): string {
  const instead = SIGNS[sign.charAt(0)];
  if (instead !== undefined) return `Write "${instead}".`;
  if (sign.startsWith(';')) return 'Remove the semicolon.';
  if (/^[$€£¥]/.test(sign))
    return 'Write amounts as plain numbers. Set the currency with its own key, such as "currency: EUR".';
  if (sign.startsWith('.') && /\w$/.test(before)) return 'Use the column names of the table: clicks, campaign_name.';
  if (/^[“”„‘’‚«»`]/.test(sign)) return `Put text in straight quotes: 'Brand'.`;
  if (/^[{}]/.test(sign)) return 'Use braces only in alert texts.';
  return 'Put text in quotes.';
}
