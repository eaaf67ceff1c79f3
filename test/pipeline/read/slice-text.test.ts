import { describe, expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { namesPeriod, sliceText } from '../../../src/engine/read/extract-accounts.ts';
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

describe('the query text of a slice', () => {
  it.each([
    [
      'is the file’s text while its window means these days',
      DURING,
      PLANNED,
      true,
      THURSDAY,
      'segments.date DURING LAST_7_DAYS',
      true,
    ],
    ['has explicit days after midnight, so that they do not shift', DURING, PLANNED, true, FRIDAY, WRITTEN, false],
    [
      'has explicit days if they are not the window',
      DURING,
      days('2026-11-12'),
      false,
      THURSDAY,
      "BETWEEN '2026-11-12' AND '2026-11-12'",
      false,
    ],
    ['has dates instead of calendar names', MARKS, PLANNED, true, THURSDAY, WRITTEN, false],
    ['keeps the planned dates after midnight', MARKS, PLANNED, true, FRIDAY, WRITTEN, false],
    [
      'is the file’s text if the query cannot be cut',
      LIMITED,
      days('2026-11-18'),
      true,
      FRIDAY,
      'DURING YESTERDAY LIMIT 5',
      true,
    ],
    [
      'is the file’s text for a query by weeks',
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

  it('is the file’s text for a query without days, and absent if the window holds no day', () => {
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

  it('means the days at the time of sending if the query cannot be altered', () => {
    const read = sliceText({ queryFile: LIMITED, days: days('2026-11-18'), isWindow: true }, FRIDAY);
    expect(read.days).toEqual(days('2026-11-19'));
  });

  it('keeps the days of a query by day and week that was planned before midnight', () => {
    const both = queryOf(
      `${SELECT.replace('segments.date', 'segments.date, segments.week')} WHERE segments.date DURING LAST_7_DAYS`,
    );
    const read = sliceText({ queryFile: both, days: PLANNED, isWindow: true }, FRIDAY);
    expect([read.days, read.text?.includes(WRITTEN)]).toEqual([PLANNED, true]);
  });

  it('lists the days if the account’s calendar is unknown', () => {
    const { text } = sliceText(
      { queryFile: DURING, days: days('2026-11-17', '2026-11-18'), isWindow: true },
      THURSDAY,
      false,
    );
    expect(text).toContain("segments.date IN ('2026-11-17', '2026-11-18')");
  });
});
