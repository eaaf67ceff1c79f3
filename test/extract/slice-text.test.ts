import { describe, expect, it } from 'vitest';
import { civilDate } from '../../src/domain/civil-date.ts';
import { namesPeriod, sliceText } from '../../src/extract/slice-text.ts';
import { days, queryOf } from './loads.ts';

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
    const text = sliceText({ queryFile, days: range, isWindow }, today);
    expect(text).toContain(words);
    expect(namesPeriod(text ?? '', queryFile)).toBe(ofService);
  });

  it('of a query without days is its own, and there is none where the window holds no day', () => {
    const plain = queryOf('SELECT campaign.id FROM campaign');
    expect(sliceText({ queryFile: plain, days: undefined, isWindow: true }, FRIDAY)).toBe(
      'SELECT campaign.id FROM campaign',
    );
    const empty = queryOf(
      'SELECT campaign.id, metrics.clicks FROM campaign WHERE segments.date BETWEEN :month_start AND :yesterday',
    );
    expect(sliceText({ queryFile: empty, days: undefined, isWindow: true }, civilDate('2026-11-01'))).toBeUndefined();
  });
});
