import { type CivilDate, daysOf } from '../../domain/civil-date.ts';
import type { DayState } from '../../domain/complete-days.ts';
import { grouped } from '../../domain/wording.ts';
import { DAY_MARKS } from '../../storage/columns/state-words.ts';
import {
  type AccountCoverage,
  COVERAGE_COLUMNS,
  correctedWords,
  daysIn,
  lackedBy,
  mostLackingFirst,
} from '../coverage.ts';
import { sheetOf } from '../kit/sheet.ts';
import { moreRows, terminalTable } from '../kit/terminal.ts';
import { oneLine, type TextLayout, wrapText } from '../text/text-layout.ts';

const READ_STATES = ['settled', 'provisional', 'missing'] as const;
const ACCOUNTS_MAX = 12;
const COLUMNS = COVERAGE_COLUMNS.filter(({ key }) => key !== 'last_read_at' && key !== 'corrected');

export function renderCoverage(accounts: readonly AccountCoverage[], layout: TextLayout): string {
  if (accounts.length === 0) return 'No days read yet. Run pacekeeper extract.\n';
  const isOther = accounts.some((account) => daysIn(account, 'other_question') > 0);
  const states: readonly DayState[] = isOther ? [...READ_STATES, 'other_question'] : READ_STATES;
  const legend = states.map((state) => DAY_MARKS[state].join(' ')).join('   ');
  const queries = grouped(accounts, ({ query }) => query).map((ofQuery) => queryBlock(ofQuery, layout));
  return `${[wrapText(legend, layout.width, '', ''), ...queries].join('\n\n')}\n`;
}

function queryBlock(accounts: readonly AccountCoverage[], layout: TextLayout): string {
  const isCrowded = accounts.length > ACCOUNTS_MAX;
  const shown = isCrowded ? mostLackingFirst(accounts).slice(0, ACCOUNTS_MAX) : accounts;
  const lacking = accounts.filter((account) => lackedBy(account) > 0).length;
  const summary = `Accounts with missing or outdated days: ${lacking.toLocaleString('en-US')} of ${accounts.length.toLocaleString('en-US')}.`;
  return [
    layout.bold(accounts[0]?.query ?? ''),
    terminalTable(sheetOf(COLUMNS, shown, 'people'), layout),
    ...(isCrowded
      ? [moreRows(accounts.length - ACCOUNTS_MAX, layout), wrapText(summary, layout.width, '  ', '  ')]
      : []),
    ...shown.filter(({ days }) => days.length > 0).map((account) => calendar(account, layout)),
  ].join('\n');
}

const RULER = '1          11         21';

function calendar({ name, customerId, days, restated }: AccountCoverage, { width }: TextLayout): string {
  const corrected = correctedWords(restated);
  const late = corrected === undefined ? 'no late corrections' : `late corrections: ${corrected}`;
  const lines = [...monthsOf(days)].map(([month, states]) => {
    const marks = Array.from({ length: Math.max(...states.keys()) }, (_, index) => markOf(states.get(index + 1)));
    const tens = [marks.slice(0, 10), marks.slice(10, 20), marks.slice(20)].map((ten) => ten.join(''));
    return `    ${month}  ${tens.join(' ').trimEnd()}`;
  });
  return [
    wrapText(`${oneLine(name ?? customerId)}: ${late}`, width, '  ', '    '),
    `             ${RULER}`,
    ...lines,
  ].join('\n');
}

function markOf(state: DayState | undefined): string {
  return state === undefined ? ' ' : DAY_MARKS[state][0];
}

export function monthsOf(days: AccountCoverage['days']): Map<string, Map<number, DayState>> {
  const months = new Map<string, Map<number, DayState>>();
  const mark = (date: CivilDate, state: DayState) => {
    const month = months.get(date.slice(0, 7)) ?? new Map<number, DayState>();
    months.set(date.slice(0, 7), month.set(Number(date.slice(8)), state));
  };
  for (const { from, to, state } of days) for (const date of daysOf({ from, to })) mark(date, state);
  return months;
}
