const ALERT = 'alert: { severity: warning, text: "{clicks} clicks" }';
const LESS = /\b(decrease|reduce|lower|cut|trim|shrink|drop|less|down)\b/;
const MORE = /\b(increase|raise|grow|boost|add|more|up)\b/;
/** "set budget 60", "budget = 60", "set to 80%". */
const SET = /^(set )?(the )?(budget )?(to |= ?|: ?)?\d[\d.]* ?%?$/;
/** Longer texts are not repeated in a hint. */
const REPEATED_MAX = 120;

/** The line to write where a change is written in words of another system; undefined where no such word is found. */
export function changeHint(source: string): string | undefined {
  const joined = ifThenHint(source);
  if (joined !== undefined) return joined;
  const text = source.trim().toLowerCase().replace(/\s+/g, ' ');
  if (/^(pause|stop|disable|turn off|switch off|enable|resume|activate)\b/.test(text)) {
    return 'A rule changes budgets and pauses nothing. Write change: decrease budget by 50%, or an alert that asks a person.';
  }
  const line = changeLine(text);
  if (line === undefined) return undefined;
  return /\bbids?\b/.test(text)
    ? `A rule changes budgets and no bids. Write change: ${line}.`
    : `Write change: ${line}.`;
}

/** The same where a condition begins with "if", or the change follows it. */
export function conditionHint(source: string): string | undefined {
  const joined = ifThenHint(source);
  if (joined !== undefined) return joined;
  const condition = /^\s*if\s+(.+)$/is.exec(source)?.[1]?.trim();
  return condition === undefined ? undefined : `Leave "if" out.${repeated(' Write when: ', condition)}`;
}

function ifThenHint(source: string): string | undefined {
  const then = /\sthen\b/i.exec(source);
  if (then === null) return undefined;
  const condition = source
    .slice(0, then.index)
    .trim()
    .replace(/^if\s+/i, '')
    .replace(/\s+(and|or)$/i, '');
  const change = source.slice(then.index + then[0].length);
  const line = /\b(alert|notify|tell|warn|message)\b/i.test(change)
    ? ALERT
    : `change: ${changeLine(change.trim().toLowerCase()) ?? 'decrease budget by 10%'}`;
  return `The two are keys of their own.${repeated(' Write when: ', condition, `, and ${line}`)}`;
}

function repeated(before: string, text: string, behind = ''): string {
  return text.length > REPEATED_MAX ? '' : `${before}${text.replace(/\s+/g, ' ')}${behind}.`;
}

function changeLine(text: string): string | undefined {
  if (/^double\b/.test(text)) return 'increase budget by 100%';
  if (/^(halve|half)\b/.test(text)) return 'decrease budget by 50%';
  const [, sign, amount, percent] = /([-+]?) ?(\d+(?:\.\d+)?) ?(%?)/.exec(text) ?? [];
  const direction = LESS.test(text) ? 'decrease' : MORE.test(text) ? 'increase' : undefined;
  if (amount === undefined) return direction && `${direction} budget by 10%`;
  // "decrease by -15%" is a decrease, and so is "increase by -5".
  const way = sign === '-' ? 'decrease' : (direction ?? (sign === '+' ? 'increase' : undefined));
  const isSet = (direction !== undefined && /\bto \d/.test(text)) || SET.test(text);
  if (isSet) return `set budget to ${amount}${percent === '%' ? '% * budget' : ''}`;
  return way && `${way} budget by ${amount}${percent}`;
}
