import { type CivilDate, daysBetween, daysOf } from '../domain/civil-date.ts';
import type { DayState, DaysOfState } from '../domain/complete-days.ts';
import { grouped } from '../domain/grouped.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { LastRead } from '../domain/last-read.ts';
import { DAY_MARKS } from './state-words.ts';
import { count, firstOf, oneLine, type TextLayout } from './text-layout.ts';
import { toJson } from './to-json.ts';
import { wrapText } from './wrap-text.ts';

/** The days of one account in one query's table. */
export interface AccountCoverage {
  readonly query: string;
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  /** Days of one state each, in order and without gaps; empty for an account that was never read. */
  readonly days: readonly DaysOfState[];
  /** By all days that are known, whichever are listed above. */
  readonly completeUntil: CivilDate | undefined;
  readonly lastRead: LastRead;
  /** Undefined where no day moved after it was over. */
  readonly restated: { readonly days: bigint; readonly lagDays: bigint } | undefined;
}

const legendOf = (states: readonly DayState[]) => states.map((state) => DAY_MARKS[state].join(' ')).join('   ');
const READ_STATES = ['settled', 'provisional', 'missing'] as const;
const CALENDARS_MAX = 12;

/** A calendar per account, a line per month; where there are many accounts only of those that lack days, and counts of the rest. */
export function renderCoverage(accounts: readonly AccountCoverage[], layout: TextLayout): string {
  if (accounts.length === 0) return 'No day was read yet.\n';
  const blocks = grouped(accounts, ({ query }) => query).map((ofQuery) => queryBlock(ofQuery, layout));
  const isOther = accounts.some((account) => countOf(account, 'other_question') > 0);
  const legend = legendOf(isOther ? [...READ_STATES, 'other_question'] : READ_STATES);
  return `${[wrapText(legend, layout.width, '', ''), ...blocks].join('\n\n')}\n`;
}

function queryBlock(accounts: readonly AccountCoverage[], layout: TextLayout): string {
  const read = accounts.filter(({ days }) => days.length > 0);
  const never = accounts.filter(({ days }) => days.length === 0);
  const crowded = read.length > CALENDARS_MAX;
  const lacking = read.filter((account) => lackedBy(account) > 0);
  const provisional = read.filter((account) => lackedBy(account) === 0 && countOf(account, 'provisional') > 0);
  const whole = read.length - lacking.length - provisional.length;
  const shown = crowded ? mostFirst(lacking).slice(0, CALENDARS_MAX) : read;
  const unshown = lacking.length - CALENDARS_MAX;
  const counts = [
    whole > 0 ? `${count(whole, 'account has', 'accounts have')} every day complete.` : '',
    provisional.length > 0
      ? `${count(provisional.length, 'account has', 'accounts have')} every day read, some of them provisional.`
      : '',
    unshown > 0
      ? `${count(unshown, 'more account lacks', 'more accounts lack')} days; --customer shows one, --format json all.`
      : '',
    movedText(read),
  ];
  const lines = [
    ...(crowded ? counts : []),
    never.length > 0 ? `No day to show of ${firstOf(never.map(nameOf), CALENDARS_MAX)}.` : '',
  ];
  return [
    layout.bold(accounts[0]?.query ?? ''),
    ...shown.map((account) => calendar(account, layout)),
    ...lines.filter((line) => line !== '').map((line) => wrapText(line, layout.width, '  ', '    ')),
  ].join('\n');
}

function mostFirst(accounts: readonly AccountCoverage[]): AccountCoverage[] {
  return accounts.toSorted((a, b) => lackedBy(b) - lackedBy(a));
}

/** What the calendars that are not shown would have said one by one. */
function movedText(accounts: readonly AccountCoverage[]): string {
  const moved = accounts.flatMap(({ restated }) => restated ?? []);
  if (moved.length === 0) return 'No late corrections.';
  const lag = Math.max(...moved.map(({ lagDays }) => Number(lagDays)));
  return `${count(moved.length, 'account has', 'accounts have')} late corrections, up to ${count(lag, 'day')} after the day.`;
}

function nameOf({ name, customerId }: AccountCoverage): string {
  return name === undefined ? customerId : `${oneLine(name)} (${customerId})`;
}

function countOf({ days }: AccountCoverage, wanted: DayState): number {
  return days.reduce((sum, { from, to, state }) => sum + (state === wanted ? daysBetween(from, to) + 1 : 0), 0);
}

function lackedBy(account: AccountCoverage): number {
  return countOf(account, 'missing') + countOf(account, 'other_question');
}

function calendar(account: AccountCoverage, { width }: TextLayout): string {
  const { days, restated, completeUntil: until } = account;
  const counts = READ_STATES.map((state) => `${countOf(account, state)} ${state === 'settled' ? 'complete' : state}`)
    .concat(countOf(account, 'other_question') > 0 ? `${countOf(account, 'other_question')} of another question` : [])
    .join(', ');
  const lag = restated ? `late corrections of ${correctedWords(restated)}` : 'no late corrections';
  return [
    wrapText(`${nameOf(account)}: ${untilWords(until)}, ${counts}; ${lag}`, width, '  ', '    '),
    `             ${RULER}`,
    ...[...monthsOf(days)].map(([month, marks]) => `    ${month}  ${inTens(marks)}`),
  ].join('\n');
}

/** "3 days, up to 4 days after": days that the service corrected after they were over. */
export function correctedWords({ days, lagDays }: NonNullable<AccountCoverage['restated']>): string {
  return `${count(Number(days), 'day')}, up to ${count(Number(lagDays), 'day')} after`;
}

/** Up to which day nothing is missing or provisional. */
export function untilWords(until: CivilDate | undefined): string {
  return until === undefined ? 'not complete yet' : `complete until ${until}`;
}

function monthsOf(days: AccountCoverage['days']): Map<string, string[]> {
  const months = new Map<string, string[]>();
  const mark = (date: CivilDate, state: DayState) => {
    const month = date.slice(0, 7);
    const line = months.get(month) ?? Array<string>(Number(date.slice(8)) - 1).fill(' ');
    line.push(DAY_MARKS[state][0]);
    months.set(month, line);
  };
  for (const { from, to, state } of days) for (const date of daysOf({ from, to })) mark(date, state);
  return months;
}

/** Above the first, the eleventh and the twenty-first day. */
const RULER = '1          11         21';

/** A space after the tenth and the twentieth, so that a day can be counted. */
function inTens(marks: readonly string[]): string {
  return [marks.slice(0, 10), marks.slice(10, 20), marks.slice(20)]
    .map((part) => part.join(''))
    .join(' ')
    .trimEnd();
}

/** The same as JSON: one object per query and account, with days as ranges of one state. */
export function renderCoverageJson(accounts: readonly AccountCoverage[]): string {
  return toJson(
    accounts.map((account) => ({
      query: account.query,
      customer_id: account.customerId,
      name: account.name,
      settled: countOf(account, 'settled'),
      provisional: countOf(account, 'provisional'),
      missing: countOf(account, 'missing'),
      other_question: countOf(account, 'other_question'),
      days: account.days.map(({ from, to, state }) => ({ from, to, state })),
      restated_days: account.restated?.days ?? 0n,
      observed_lag_days: account.restated?.lagDays,
    })),
  );
}

/** A row for each range of days of one state. */
export function coverageRows(accounts: readonly AccountCoverage[]): object[] {
  return accounts.flatMap(({ query, customerId, name, days }) =>
    days.map(({ from, to, state }) => ({
      ...{ query, customer_id: customerId, name, state, from, to },
      days: daysBetween(from, to) + 1,
    })),
  );
}
