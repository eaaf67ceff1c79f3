import { describe, expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { namesPeriod, sliceText } from '../../../src/pipeline/read/extract-accounts.ts';
import { days, queryOf } from '../../extract/loads.ts';

const SELECT = 'SELECT campaign.id, metrics.clicks, segments.date FROM campaign';
const THURSDAY = civilDate('2026-11-19');
const FRIDAY = civilDate('2026-11-20');
const DURING = queryOf(`${SELECT} WHERE segments.date DURING LAST_7_DAYS`);
const MARKS = queryOf(`${SELECT} WHERE segments.date BETWEEN :today-7 AND :yesterday`);
const LIMITED = queryOf(`${SELECT} WHERE segments.date DURING YESTERDAY LIMIT 5`);
const WEEKLY = queryOf(
  'SELECT campaign.id, segments.week, metrics.clicks FROM campaign WHERE segments.date DURING LAST_14_DAYS',
);
const PLANNED = days('2026-11-12', '2026-11-18');
const WRITTEN = "segments.date BETWEEN '2026-11-12' AND '2026-11-18'";

describe('the text that is sent for a slice', () => {
  it.each([
    [
      'is the file’s while its window means these days',
      DURING,
      PLANNED,
      true,
      THURSDAY,
      'segments.date DURING LAST_7_DAYS',
      true,
    ],
    [
      'has the days written out after midnight, so that they do not shift',
      DURING,
      PLANNED,
      true,
      FRIDAY,
      WRITTEN,
      false,
    ],
    [
      'has the days written out where they are not the window',
      DURING,
      days('2026-11-12'),
      false,
      THURSDAY,
      "BETWEEN '2026-11-12' AND '2026-11-12'",
      false,
    ],
    ['has the calendar’s days as dates', MARKS, PLANNED, true, THURSDAY, WRITTEN, false],
    ['has them as planned after midnight', MARKS, PLANNED, true, FRIDAY, WRITTEN, false],
    [
      'of a query that cannot be cut is the file’s',
      LIMITED,
      days('2026-11-18'),
      true,
      FRIDAY,
      'DURING YESTERDAY LIMIT 5',
      true,
    ],
    [
      'of a query by weeks is the file’s',
      WEEKLY,
      days('2026-11-05', '2026-11-18'),
      true,
      FRIDAY,
      'DURING LAST_14_DAYS',
      true,
    ],
  ] as const)('%s', (_, queryFile, range, isWindow, today, words, ofService) => {
    const { text } = sliceText({ queryFile, days: range, isWindow }, today);
    expect(text).toContain(words);
    expect(namesPeriod(queryFile, text)).toBe(ofService);
  });

  it('of a query without days is its own, and there is none where the window holds no day', () => {
    const plain = queryOf('SELECT campaign.id FROM campaign');
    expect(sliceText({ queryFile: plain, days: undefined, isWindow: true }, FRIDAY).text).toBe(
      'SELECT campaign.id FROM campaign',
    );
    const empty = queryOf(
      'SELECT campaign.id, metrics.clicks FROM campaign WHERE segments.date BETWEEN :month_start AND :yesterday',
    );
    const nothing = sliceText({ queryFile: empty, days: undefined, isWindow: true }, civilDate('2026-11-01'));
    expect(nothing).toEqual({ text: undefined, days: undefined });
  });

  it('of a query that can only be asked as it is comes with the days that it means on the day it is sent', () => {
    const read = sliceText({ queryFile: LIMITED, days: days('2026-11-18'), isWindow: true }, FRIDAY);
    expect(read.days).toEqual(days('2026-11-19'));
  });

  it('of a query by day and week that was planned before midnight keeps its days', () => {
    const both = queryOf(
      `${SELECT.replace('segments.date', 'segments.date, segments.week')} WHERE segments.date DURING LAST_7_DAYS`,
    );
    const read = sliceText({ queryFile: both, days: PLANNED, isWindow: true }, FRIDAY);
    expect([read.days, read.text?.includes(WRITTEN)]).toEqual([PLANNED, true]);
  });

  it('names the days where the account’s calendar is not known, as a list, which every service takes', () => {
    const { text } = sliceText(
      { queryFile: DURING, days: days('2026-11-17', '2026-11-18'), isWindow: true },
      THURSDAY,
      false,
    );
    expect(text).toContain("segments.date IN ('2026-11-17', '2026-11-18')");
  });
});
