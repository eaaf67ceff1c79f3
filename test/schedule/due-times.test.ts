import { describe, expect, it } from 'vitest';
import { dueBetween, nextDue } from '../../src/language/due-times.ts';
import { dueByHand, type WallMinute, wallMinutes } from './wall-clock.ts';

/** Stretches in which the clock goes forward or back, each in UTC. */
const CHANGES = [
  ['Europe/Berlin', 'forward at 02:00 by an hour', '2026-03-28T00:00:00Z', '2026-03-30T23:59:00Z'],
  ['Europe/Berlin', 'back at 03:00 by an hour', '2026-10-24T00:00:00Z', '2026-10-26T23:59:00Z'],
  ['America/New_York', 'forward at 02:00 by an hour', '2026-03-07T00:00:00Z', '2026-03-09T23:59:00Z'],
  ['America/New_York', 'back at 02:00 by an hour', '2026-10-31T00:00:00Z', '2026-11-02T23:59:00Z'],
  ['Australia/Lord_Howe', 'forward at 02:00 by half an hour', '2026-10-03T00:00:00Z', '2026-10-05T23:59:00Z'],
  ['Australia/Lord_Howe', 'back at 02:00 by half an hour', '2026-04-03T00:00:00Z', '2026-04-05T23:59:00Z'],
  ['America/Santiago', 'forward at midnight by an hour', '2026-09-04T00:00:00Z', '2026-09-07T23:59:00Z'],
  ['America/Santiago', 'back at midnight by an hour', '2026-04-03T00:00:00Z', '2026-04-05T23:59:00Z'],
  ['America/Nuuk', 'forward at 23:00 by an hour', '2026-03-27T00:00:00Z', '2026-03-30T23:59:00Z'],
  ['America/Nuuk', 'back at midnight by an hour', '2026-10-23T00:00:00Z', '2026-10-26T23:59:00Z'],
  ['Asia/Kolkata', 'never', '2026-03-28T00:00:00Z', '2026-03-29T23:59:00Z'],
] as const;

const EXPRESSIONS = [
  '30 2 * * *',
  '30 5 * * *',
  '0 0 * * *',
  '15 2 * * *',
  '45 1 * * *',
  '0,30 2 * * *',
  '30 1-3 * * *',
  '0 3 * * 0',
  '30 2 29 3 *',
  '30 23 * * 6',
  '*/15 * * * *',
  '*/20 2 * * *',
  '7 */2 * * *',
  '59 * * * *',
  '30 2 1 * 0',
  '0 0-23 * * *',
];

const known = new Map<string, WallMinute[]>();

function minutesOf(timeZone: string, from: string, to: string): WallMinute[] {
  const key = `${timeZone} ${from}`;
  const minutes = known.get(key) ?? wallMinutes(timeZone, Date.parse(from), Date.parse(to));
  known.set(key, minutes);
  return minutes;
}

describe('a due time', () => {
  it.each(CHANGES)('in %s follows the local clock, which goes %s', (timeZone, _, from, to) => {
    const minutes = minutesOf(timeZone, from, to);
    const fromMs = Date.parse(from);
    const toMs = Date.parse(to);
    for (const cron of EXPRESSIONS) {
      const byHand = dueByHand(cron, minutes).filter((atMs) => atMs > fromMs);
      const texts = (all: readonly number[]) => all.map((atMs) => `${cron} at ${new Date(atMs).toISOString()}`);
      expect(texts(dueBetween({ cron, timeZone }, fromMs, toMs))).toEqual(texts(byHand));
    }
  });

  it.each(CHANGES)('in %s is the same from any starting point while the clock goes %s', (timeZone, _, from, to) => {
    const minutes = minutesOf(timeZone, from, to);
    for (const cron of ['30 2 * * *', '0,30 1-3 * * *', '30 23 * * *', '*/15 * * * *']) {
      const byHand = dueByHand(cron, minutes);
      for (let atMs = Date.parse(from); atMs < (byHand.at(-1) ?? 0); atMs += 29 * 60_000 + 13_000) {
        const next = byHand.find((dueMs) => dueMs > atMs);
        expect([cron, atMs, nextDue({ cron, timeZone }, atMs)]).toEqual([cron, atMs, next]);
      }
    }
  });

  it.each([
    ['runs at 03:00 on the day that has no 02:30', '30 2 * * *', '2026-03-29T00:00:00Z', '2026-03-29T01:00:00Z'],
    ['runs at the first 02:30 of the day that has two', '30 2 * * *', '2026-10-25T00:00:00Z', '2026-10-25T00:30:00Z'],
    ['runs on the next day after that', '30 2 * * *', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z'],
    ['is found from within the repeated hour', '30 2 * * *', '2026-10-25T01:10:00Z', '2026-10-26T01:30:00Z'],
    ['waits for the leap year', '0 5 29 2 *', '2026-03-01T00:00:00Z', '2028-02-29T04:00:00Z'],
    ['is on either kind of day if both are named', '0 5 13 * fri', '2026-11-01T00:00Z', '2026-11-06T04:00:00Z'],
  ])('%s', (_, cron, after, due) => {
    expect(nextDue({ cron, timeZone: 'Europe/Berlin' }, Date.parse(after))).toBe(Date.parse(due));
  });

  it.each(['0 23 * * *', '30 23 28 3 *', '0,30 23 * * *', '30 20-23 * * *'])(
    'in a gap that ends at midnight is at the end of the gap, once: %s',
    (cron) => {
      const fromMs = Date.parse('2026-03-29T00:45:00Z');
      const due = dueBetween({ cron, timeZone: 'America/Nuuk' }, fromMs, fromMs + 3_600_000);
      expect(due).toEqual([Date.parse('2026-03-29T01:00:00Z')]);
    },
  );

  it('never comes if no such day exists', () => {
    expect(nextDue({ cron: '0 0 30 2 *', timeZone: 'UTC' }, 0)).toBeUndefined();
    // Without looking at each clock change until the end of time.
    expect(nextDue({ cron: '0 0 30 2 *', timeZone: 'Europe/Berlin' }, 0)).toBeUndefined();
    expect(dueBetween({ cron: '0 0 30 2 *', timeZone: 'UTC' }, 0, Date.parse('2030-01-01'))).toEqual([]);
  });

  it('belongs to the stretch that it ends, not to the one it begins', () => {
    const job = { cron: '30 5 * * *', timeZone: 'UTC' };
    const dueMs = Date.parse('2026-11-21T05:30:00Z');
    expect(dueBetween(job, dueMs - 1, dueMs)).toEqual([dueMs]);
    expect(dueBetween(job, dueMs, dueMs + 1)).toEqual([]);
  });
});
