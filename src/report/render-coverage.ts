import type { CivilDate } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';
import { toJson } from './render-json.ts';
import type { TextLayout } from './text-layout.ts';
import { wrapText } from './wrap-text.ts';

export type DayState = 'missing' | 'provisional' | 'settled';

/** The days of one account in one query's table. */
export interface AccountCoverage {
  readonly query: string;
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  /** In order, without gaps; empty for an account that was never read. */
  readonly days: readonly { readonly date: CivilDate; readonly state: DayState }[];
  /** Undefined where no day moved after it was over. */
  readonly restated: { readonly days: bigint; readonly lagDays: bigint } | undefined;
}

const MARKS: Readonly<Record<DayState, string>> = { settled: '#', provisional: 'o', missing: '.' };
const LEGEND = '# settled   o provisional: read before the day was settled   . missing: not read';
const CALENDARS_MAX = 12;

/** A calendar per account, a line per month; of accounts without a gap only how many there are, where there are many. */
export function renderCoverage(accounts: readonly AccountCoverage[], layout: TextLayout): string {
  const queries = [...new Set(accounts.map(({ query }) => query))];
  if (queries.length === 0) return 'No day was read yet.\n';
  const blocks = queries.map((query) =>
    queryBlock(
      query,
      accounts.filter((account) => account.query === query),
      layout,
    ),
  );
  return `${[LEGEND, ...blocks].join('\n\n')}\n`;
}

function queryBlock(query: string, accounts: readonly AccountCoverage[], layout: TextLayout): string {
  const read = accounts.filter(({ days }) => days.length > 0);
  const never = accounts.filter(({ days }) => days.length === 0);
  const crowded = read.length > CALENDARS_MAX;
  const withGaps = read.filter(({ days }) => days.some(({ state }) => state !== 'settled'));
  const shown = (crowded ? withGaps : read).slice(0, CALENDARS_MAX);
  const unshown = withGaps.filter((account) => !shown.includes(account)).length;
  const lines = [
    crowded ? `${(read.length - withGaps.length).toLocaleString('en-US')} accounts have every day settled.` : '',
    unshown > 0
      ? `${unshown.toLocaleString('en-US')} more accounts have days that are not settled: name them with --customer.`
      : '',
    never.length > 0 ? `Never read: ${namesOf(never)}.` : '',
  ].filter((line) => line !== '');
  return [
    layout.bold(query),
    ...shown.map((account) => calendar(account, layout)),
    ...lines.map((line) => wrapText(line, layout.width, '  ', '    ')),
  ].join('\n');
}

function namesOf(accounts: readonly AccountCoverage[]): string {
  const names = accounts.slice(0, CALENDARS_MAX).map(nameOf).join(', ');
  return accounts.length > CALENDARS_MAX ? `${names} and ${accounts.length - CALENDARS_MAX} more` : names;
}

function nameOf({ name, customerId }: AccountCoverage): string {
  return name === undefined ? customerId : `${name.replace(/[\s\p{Cc}]+/gu, ' ')} (${customerId})`;
}

function calendar(account: AccountCoverage, { width }: TextLayout): string {
  const { days, restated } = account;
  const months = new Map<string, string[]>();
  for (const { date, state } of days) {
    const month = date.slice(0, 7);
    const line = months.get(month) ?? Array<string>(Number(date.slice(8)) - 1).fill(' ');
    line.push(MARKS[state]);
    months.set(month, line);
  }
  const count = (wanted: DayState) => days.filter(({ state }) => state === wanted).length;
  const counts = (['settled', 'provisional', 'missing'] as const).map((state) => `${count(state)} ${state}`).join(', ');
  const lag = restated
    ? `${restated.days} of its days moved after they were over, up to ${restated.lagDays} days after`
    : 'no day moved after it was over';
  return [
    wrapText(`${nameOf(account)}: ${counts}; ${lag}`, width, '  ', '    '),
    `             ${RULER}`,
    ...[...months].map(([month, marks]) => `    ${month}  ${inTens(marks)}`),
  ].join('\n');
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

/** The same as JSON: one object per query and account. */
export function renderCoverageJson(accounts: readonly AccountCoverage[]): string {
  return toJson(
    accounts.map(({ query, customerId, name, days, restated }) => ({
      query,
      customer_id: customerId,
      name,
      days,
      restated_days: restated?.days ?? 0n,
      observed_lag_days: restated?.lagDays,
    })),
  );
}
