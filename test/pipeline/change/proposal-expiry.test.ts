import { describe, expect, test } from 'vitest';
import { instantText } from '../../../src/domain/civil-date.ts';
import { proposalExpiresAt } from '../../../src/engine/change/plan-changes.ts';
import { ruleOf } from '../../rules/rule-fixtures.ts';

const cut = ruleOf({ change: 'decrease budget by 10%' });
const pace = ruleOf({ change: 'pace budget to 3000 per month', limits: '{ floor: 5 }' });
const flight = ruleOf({ change: 'pace budget to 3000 from 2026-11-10 to 2026-12-05', limits: '{ floor: 5 }' });

describe('a proposal can be approved until', () => {
  test.each([
    ['its approval hours are over', cut, '2026-11-30T20:00:00Z', '2026-12-01T20:00:00Z'],
    [
      'its approval hours are over, if it is for pacing and the month lasts longer',
      pace,
      '2026-11-20T20:00:00Z',
      '2026-11-21T20:00:00Z',
    ],
    ["the end of the account's month, if it is for pacing", pace, '2026-11-30T20:00:00Z', '2026-11-30T23:00:00Z'],
    [
      "the end of the month that has already begun in the account's time zone",
      pace,
      '2026-10-31T23:30:00Z',
      '2026-11-01T23:30:00Z',
    ],
    [
      'its approval hours are over, if the flight lasts longer than the month',
      flight,
      '2026-11-30T20:00:00Z',
      '2026-12-01T20:00:00Z',
    ],
    ['the end of the flight', flight, '2026-12-05T20:00:00Z', '2026-12-05T23:00:00Z'],
    ['the end of a month in which clocks change', pace, '2026-03-31T10:00:00Z', '2026-03-31T22:00:00Z'],
  ])('%s', (_, rule, now, until) => {
    expect(instantText(proposalExpiresAt(rule, 'Europe/Berlin', Date.parse(now), 24))).toBe(until);
  });
});
