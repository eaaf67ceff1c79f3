import { describe, expect, it } from 'vitest';
import { isQuiet, quietUntilMs } from '../../src/alerts/quiet-hours.ts';

const BERLIN = 'Europe/Berlin';

describe('quiet hours', () => {
  it.each<[sentence: string, hours: string | undefined, timeZone: string, now: string, until: string | undefined]>([
    ['never apply if they are not set', undefined, BERLIN, '2026-11-20T02:00:00Z', undefined],
    ['have not begun a moment before their start', '22:00-07:00', BERLIN, '2026-11-20T20:59:59Z', undefined],
    ['begin with their first minute', '22:00-07:00', BERLIN, '2026-11-20T21:00:00Z', '2026-11-21T06:00:00Z'],
    ['continue past midnight', '22:00-07:00', BERLIN, '2026-11-20T23:30:00Z', '2026-11-21T06:00:00Z'],
    ['last until a moment before their end', '22:00-07:00', BERLIN, '2026-11-21T05:59:59Z', '2026-11-21T06:00:00Z'],
    ['are over with their last minute', '22:00-07:00', BERLIN, '2026-11-21T06:00:00Z', undefined],
    ['may lie within a day', '12:00-14:00', BERLIN, '2026-11-20T12:30:00Z', '2026-11-20T13:00:00Z'],
    ['within a day do not apply at other hours', '12:00-14:00', BERLIN, '2026-11-20T02:00:00Z', undefined],
    ['use the recipient’s time zone', '22:00-07:00', 'Asia/Tokyo', '2026-11-20T14:00:00Z', '2026-11-20T22:00:00Z'],
    ['may begin at midnight', '00:00-06:00', BERLIN, '2026-11-19T23:00:00Z', '2026-11-20T05:00:00Z'],
    [
      'are an hour shorter if an hour is skipped',
      '22:00-07:00',
      BERLIN,
      '2026-03-29T04:59:59Z',
      '2026-03-29T05:00:00Z',
    ],
    [
      'are an hour longer if an hour is repeated',
      '22:00-07:00',
      BERLIN,
      '2026-10-25T05:59:59Z',
      '2026-10-25T06:00:00Z',
    ],
    [
      'that end at a skipped time last an hour longer',
      '22:00-02:30',
      BERLIN,
      '2026-03-29T01:29:59Z',
      '2026-03-29T01:30:00Z',
    ],
    ['that end at a skipped time are over an hour later', '22:00-02:30', BERLIN, '2026-03-29T01:30:00Z', undefined],
    ['that begin at a skipped time have not begun before it', '02:30-06:00', BERLIN, '2026-03-29T01:29:59Z', undefined],
    [
      'that begin at a skipped time begin an hour later',
      '02:30-06:00',
      BERLIN,
      '2026-03-29T01:30:00Z',
      '2026-03-29T04:00:00Z',
    ],
    [
      'are not interrupted when their first hour repeats',
      '02:30-06:00',
      BERLIN,
      '2026-10-25T01:10:00Z',
      '2026-10-25T05:00:00Z',
    ],
    ['that ended before an hour repeats do not repeat', '22:00-02:30', BERLIN, '2026-10-25T01:10:00Z', undefined],
    [
      'within a skipped hour move to the next hour',
      '02:10-02:40',
      BERLIN,
      '2026-03-29T01:20:00Z',
      '2026-03-29T01:40:00Z',
    ],
  ])('%s', (_sentence, hours, timeZone, now, until) => {
    const [from = '', to = ''] = hours?.split('-') ?? [];
    const recipient = { timeZone, quietHours: hours === undefined ? undefined : { from, to } };
    const untilMs = quietUntilMs(recipient, Date.parse(now));
    expect(untilMs && new Date(untilMs).toISOString()).toBe(until && new Date(until).toISOString());
    expect(isQuiet(recipient, 'warning', Date.parse(now))).toBe(until !== undefined);
    expect(isQuiet(recipient, 'critical', Date.parse(now))).toBe(false);
  });
});
