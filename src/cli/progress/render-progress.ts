import stringWidth from 'string-width';
import { count, oneLine } from '../../report/text-layout.ts';
import { type AccountReading, leftMs, type Reading } from './reading.ts';

/** So many accounts have a line of their own; of more is said how many they are. */
const ACCOUNTS_SHOWN = 12;

/** The live lines: one for each account that is being read, and one for all. None is wider than the terminal. */
export function renderLive(reading: Reading, nowMs: number, width: number): string {
  const open = [...reading.open];
  const lines = open.slice(0, ACCOUNTS_SHOWN).map(([id, account]) => accountLine(id, account, nowMs, width));
  if (open.length > ACCOUNTS_SHOWN)
    lines.push(cutTo(`  and ${count(open.length - ACCOUNTS_SHOWN, 'account')} more`, width));
  return [...lines, cutTo(renderTotal(reading, nowMs), width)].join('\n');
}

/** All of it in one line: "Reading: 3 of 40 accounts, 7 of 81 slices, about 2 min left, 120,000 rows, 15,000 rows/s". */
export function renderTotal(reading: Reading, nowMs: number): string {
  const { accounts, accountsEnded, slices, slicesAdded, slicesEnded, rows, startedMs } = reading;
  const left = leftMs(reading, nowMs);
  return [
    `Reading: ${accountsEnded.toLocaleString('en-US')} of ${count(accounts, 'account')}`,
    `${slicesEnded.toLocaleString('en-US')} of ${count(slices + slicesAdded, 'slice')}`,
    ...(left === undefined || left === 0 ? [] : [`about ${durationText(left)} left`]),
    count(rows, 'row'),
    rateOf(rows, nowMs - startedMs),
  ].join(', ');
}

/** What is least needed is at the end, where a narrow terminal cuts; the name gives way before the figures do. */
function accountLine(id: string, account: AccountReading, nowMs: number, width: number): string {
  const { name, query, rows, slices, slicesEnded, startedMs } = account;
  const figures = [
    `${slicesEnded} of ${count(slices, 'slice')}`,
    count(rows, 'row'),
    rateOf(rows, nowMs - startedMs),
    ...(query === undefined ? [] : [query]),
  ].join(', ');
  const plain = name === undefined ? id : oneLine(name);
  const label = name === undefined ? id : `${plain} (${id})`;
  const room = width - stringWidth(figures) - 4;
  // The id goes first, and comes back where no name would be recognised.
  const shown = stringWidth(label) <= room ? label : room > id.length ? cutTo(plain, room) : id;
  return cutTo(`  ${shown}: ${figures}`, width);
}

function rateOf(rows: number, elapsedMs: number): string {
  const perSecond = elapsedMs <= 0 ? 0 : Math.round((rows * 1000) / elapsedMs);
  return `${perSecond.toLocaleString('en-US')} rows/s`;
}

function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** At most so many columns, with an ellipsis where it was cut; a wide character is never halved. */
function cutTo(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  for (const { segment } of characters.segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
