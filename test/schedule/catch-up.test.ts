import { describe, expect, it } from 'vitest';
import type { PlannedJob } from '../../src/engine/schedule/planned-job.ts';
import { DELIVER, HOURLY, knownWorld, names, REPORT, reasons, type ScheduleWorld } from './schedule-world.ts';

describe('downtime of the daemon', () => {
  async function downUntil(instant: string, isMissing: boolean, job = HOURLY): Promise<ScheduleWorld> {
    const made = await knownWorld([job]);
    made.isMissing = () => isMissing;
    made.restart();
    await made.at(instant);
    return made;
  }

  it('runs only the newest due time if account days are missing', async () => {
    const made = await downUntil('2026-11-20T07:45:00Z', true);
    expect(made.ticks()).toEqual([
      'hourly 11-20 05:00 missed',
      'hourly 11-20 06:00 missed',
      'hourly 11-20 07:00 running',
    ]);
    const covered = 'covered by the run of 2026-11-20 07:00 UTC';
    expect(reasons(made)).toEqual([covered, covered, 'late, because no scheduler ran when it was due']);
  });

  it('runs nothing if no account day is missing', async () => {
    const made = await downUntil('2026-11-20T06:45:00Z', false);
    expect(made.ticks()).toEqual(['hourly 11-20 05:00 missed', 'hourly 11-20 06:00 missed']);
    expect(reasons(made)[1]).toBe('no account day was missing');
  });

  it('runs a due time of the last ten minutes normally', async () => {
    expect((await downUntil('2026-11-20T05:10:00Z', false)).ticks()).toEqual(['hourly 11-20 05:00 running']);
  });

  it('delivers alerts regardless of missing days', async () => {
    expect((await downUntil('2026-11-20T05:50:00Z', false, DELIVER)).ticks()).toEqual(['deliver 11-20 05:00 running']);
  });

  it('records each due time of the last of several months, and keeps rare jobs', async () => {
    const yearly: PlannedJob = { ...REPORT, name: 'yearly', cron: '0 0 1 12 *' };
    const made = await downUntil('2027-02-01T00:00:00Z', true, yearly);
    expect(made.ticks()).toEqual(['yearly 12-01 00:00 running']);
    const often = await downUntil('2027-02-01T00:00:00Z', true);
    expect(often.ticks()).toHaveLength(31 * 24);
  });
});

describe('a clock', () => {
  it('that jumps forward makes one late run, and no due time runs twice after it goes back', async () => {
    const made = await knownWorld([HOURLY, REPORT]);
    await made.at('2030-01-01T00:30:00Z');
    expect(names(made)).toEqual(['report']);
    await made.going[0]?.end(0);
    await made.going[0]?.end(0);
    await made.at('2026-11-20T04:20:00Z');
    // What was missed in a time that has not come is not missed.
    expect(made.ticks()).toEqual(['report 12-31 05:30 done', 'hourly 01-01 00:00 done']);
    await made.at('2026-11-20T05:00:00Z');
    expect(names(made)).toEqual(['hourly']);
  });

  it('that goes back by an hour runs nothing twice', async () => {
    const made = await knownWorld([HOURLY]);
    await made.at('2026-11-20T05:00:01Z');
    await made.going[0]?.end(0);
    await made.at('2026-11-20T04:30:00Z');
    await made.at('2026-11-20T05:00:01Z');
    expect([names(made), made.ticks()]).toEqual([[], ['hourly 11-20 05:00 done']]);
    await made.at('2026-11-20T06:00:00Z');
    expect(names(made)).toEqual(['hourly']);
  });

  it('that stands still while the machine sleeps makes one late run per job', async () => {
    const made = await knownWorld([HOURLY, DELIVER]);
    await made.at('2026-11-20T12:34:56Z');
    expect(names(made).sort()).toEqual(['deliver', 'hourly']);
    expect(made.ticks().filter((line) => line.endsWith('missed'))).toHaveLength(14);
  });
});
