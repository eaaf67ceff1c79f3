import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sample } from '../../support/effort.ts';
import { findWrong } from './check-state.ts';
import { HistoryWorld } from './history-world.ts';
import type { RuleSpec } from './rule-specs.ts';
import { type SharedService, startService } from './service.ts';
import { NO_TROUBLE, type Trouble } from './steps.ts';
import { runReport } from './take-step.ts';

/** It fires on every day. */
const TRIM: RuleSpec = {
  for: 'campaign',
  currency: 'EUR',
  leastClicks: 1,
  change: 'decrease budget by 15%',
  mode: 'apply',
  floor: undefined,
  ceiling: undefined,
  stepPercent: undefined,
  cooldownDays: undefined,
  drift: undefined,
};

let service: SharedService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Runs `report` at each of the instants, with its trouble; the account days for which one budget was changed by then, after each run. */
async function changedDays(
  timeZone: string,
  instants: readonly (string | readonly [string, Trouble])[],
  rule: RuleSpec = TRIM,
): Promise<string[][]> {
  const [first] = instants.flat();
  const start = `${`${first}`.slice(0, 8)}15T12:00:00Z`;
  const world = await HistoryWorld.begin(service, {
    start,
    timeZone,
    accounts: 1,
    changesPerRun: 100,
    firstDelayMs: 0,
    steps: [],
  });
  const [, budget] = world.budgets[0] ?? [];
  const changed = `SELECT account_day AS day FROM budget_intent
    WHERE budget_id = ${budget} AND state IN ('applied', 'confirmed') ORDER BY id`;
  const afterEach: string[][] = [];
  try {
    for (const at of instants) {
      const [instant, trouble] = typeof at === 'string' ? [at, NO_TROUBLE] : at;
      service.clock.set(instant);
      await runReport(world, { mode: 'apply', rules: [rule] }, trouble);
      expect(await findWrong(world)).toEqual([]);
      afterEach.push(world.rows<{ day: string }>(changed).map(({ day }) => day));
    }
    return afterEach;
  } finally {
    await world.end();
  }
}

const BERLIN = 'Europe/Berlin';
const EAST = 'Pacific/Kiritimati';
const WEST = 'Etc/GMT+12';
const CALIFORNIA = 'America/Los_Angeles';

describe('refuses a second change on the same account day, and accepts one on the next day', () => {
  it.each(
    sample([
      [
        'a day of 25 hours ends after 25 hours',
        BERLIN,
        '2026-10-24T22:00:00Z',
        '2026-10-25T22:59:00Z',
        '2026-10-25T23:00:00Z',
      ],
      [
        'a day of 23 hours ends after 23 hours',
        BERLIN,
        '2026-03-28T23:00:00Z',
        '2026-03-29T21:59:00Z',
        '2026-03-29T22:00:00Z',
      ],
      [
        'the repeated hour belongs to one day',
        BERLIN,
        '2026-10-25T00:30:00Z',
        '2026-10-25T01:30:00Z',
        '2026-10-26T01:30:00Z',
      ],
      ['at UTC+14 it ends at 10:00', EAST, '2026-11-19T10:00:00Z', '2026-11-20T09:59:00Z', '2026-11-20T10:00:00Z'],
      [
        'at UTC-12 it ends at noon of the next day',
        WEST,
        '2026-11-20T12:00:00Z',
        '2026-11-21T11:59:00Z',
        '2026-11-21T12:00:00Z',
      ],
      [
        'midnight on the server does not end the account’s day',
        CALIFORNIA,
        '2026-11-20T23:30:00Z',
        '2026-11-21T00:30:00Z',
        '2026-11-21T08:00:00Z',
      ],
      [
        '29 February is a day of its own',
        BERLIN,
        '2028-02-28T23:00:00Z',
        '2028-02-29T22:59:00Z',
        '2028-02-29T23:00:00Z',
      ],
      [
        'a month and a year end like any day',
        CALIFORNIA,
        '2026-12-31T08:00:00Z',
        '2027-01-01T07:59:00Z',
        '2027-01-01T08:00:00Z',
      ],
    ]),
  )('%s (%s)', async (_, timeZone, first, same, next) => {
    const [, afterSame, afterNext] = await changedDays(timeZone, [first, same, next]);
    expect(afterNext).toHaveLength(2);
    expect(afterSame).toEqual(afterNext?.slice(0, 1));
  });
});

describe('a cooldown of two days ends with the second midnight of the account', () => {
  it.each(
    sample([
      ['over a night without 02:00', BERLIN, '2026-03-28T22:30:00Z', '2026-03-29T21:59:00Z', '2026-03-29T22:00:00Z'],
      ['over a night with 02:00 twice', BERLIN, '2026-10-23T22:00:00Z', '2026-10-25T22:59:00Z', '2026-10-25T23:00:00Z'],
      ['over 29 February', BERLIN, '2028-02-28T12:00:00Z', '2028-02-29T22:59:00Z', '2028-02-29T23:00:00Z'],
      [
        'over the end of a short February',
        BERLIN,
        '2026-02-28T12:00:00Z',
        '2026-03-01T22:59:00Z',
        '2026-03-01T23:00:00Z',
      ],
      ['over New Year at UTC+14', EAST, '2026-12-31T09:59:00Z', '2027-01-01T09:59:00Z', '2027-01-01T10:00:00Z'],
      ['over New Year at UTC-12', WEST, '2026-12-31T12:00:00Z', '2027-01-02T11:59:00Z', '2027-01-02T12:00:00Z'],
    ]),
  )('%s (%s)', async (_, timeZone, first, early, late) => {
    const rule = { ...TRIM, cooldownDays: 2 };
    const [, afterEarly, afterLate] = await changedDays(timeZone, [first, early, late], rule);
    expect(afterEarly).toHaveLength(1);
    expect(afterLate).toHaveLength(2);
  });
});

describe('a change lost before midnight and sent again afterwards', () => {
  const lost: Trouble = { ...NO_TROUBLE, fault: { at: 'change', nth: 0, more: 0, fault: { kind: 'reset_before' } } };

  it.each(
    sample([
      ['in Berlin', BERLIN, '2026-11-20T22:59:00Z', '2026-11-20T23:59:01Z', '2026-11-21'],
      ['at UTC+14', EAST, '2026-11-20T09:59:00Z', '2026-11-20T10:59:01Z', '2026-11-21'],
      ['at UTC-12', WEST, '2026-11-20T11:59:00Z', '2026-11-20T12:59:01Z', '2026-11-20'],
    ]),
  )('counts as the only change of the new day %s', async (_, timeZone, before, after, day) => {
    const afterEach = await changedDays(timeZone, [[before, lost], after, after]);
    expect(afterEach.at(-1)).toEqual([day]);
  });
});
