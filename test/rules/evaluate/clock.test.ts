import { describe, expect, it } from 'vitest';
import { hourAt } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { formatRational } from '../../../src/domain/rational.ts';
import { place } from '../../gaql/findings.ts';
import { accountOf, row, verdictOf, verdictsOf } from '../evaluated.ts';
import { checkText, type RuleText, ruleText } from '../rule-fixtures.ts';

const on = (today: string, hour?: number) => accountOf(undefined, { today: civilDate(today), hour });
/** A row of the day before, so that the campaign is judged. */
const before = (today: string) => [row({ ago: (Date.parse('2026-11-20') - Date.parse(today)) / 86_400_000 + 1 })];

function judge(when: string, today: string, hour?: number) {
  const account = { ...on(today, hour), lastSettled: civilDate(daysBefore(today)) };
  return verdictOf(
    { over: '1 days', when, change: undefined, alert: "{ text: '{weekday} {days_left}' }" },
    before(today),
    account,
  );
}

function daysBefore(today: string): string {
  return new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
}

describe('values of the account’s clock', () => {
  it.each([
    ['a weekday has a name', "weekday = 'Friday'", '2026-11-20', 'true'],
    ['a weekday of a list', "weekday IN ('Saturday', 'Sunday')", '2026-11-22', 'true'],
    ['another weekday', "weekday NOT IN ('Saturday', 'Sunday')", '2026-11-21', 'false'],
    ['the first of a month', 'day_of_month = 1 AND days_left = 31', '2026-12-01', 'true'],
    ['the last of a month is left', 'day_of_month = 30 AND days_left = 1', '2026-11-30', 'true'],
    ['a leap day', 'day_of_month = 29 AND days_left = 1', '2028-02-29', 'true'],
    ['the day before a leap day', 'days_left = 2', '2028-02-28', 'true'],
  ])('%s', (_, when, today, truth) => {
    expect(judge(when, today).truth).toBe(truth);
  });

  it.each([
    ['before the hour', 'hour >= 14', 13, 'false'],
    ['in the hour', 'hour >= 14', 14, 'true'],
    ['midnight is 0', 'hour = 0', 0, 'true'],
    ['without an hour', 'hour >= 14', undefined, 'unknown'],
    ['without an hour, where another condition decides', 'hour >= 14 AND clicks < 5', undefined, 'false'],
  ])('hour: %s', (_, when, hour, truth) => {
    expect(judge(when, '2026-11-20', hour).truth).toBe(truth);
  });

  it('are explained, also an hour that is unknown', () => {
    const when = "weekday = 'Friday' AND days_left <= 11 AND hour >= 6";
    expect(judge(when, '2026-11-20', 9).explain()).toBe(
      "weekday ('Friday') = 'Friday' AND days_left (11) <= 11 AND hour (9) >= 6, 2026-11-19",
    );
    expect(judge(when, '2026-11-20').explain()).toContain(
      'hour (unknown: a day that is played as a whole has no hour) >= 6',
    );
    expect(judge("weekday = 'Friday'", '2026-11-20').alertText()).toBe('Friday 11');
  });

  it('alone need no "over": campaigns with rows on the newest complete day count', () => {
    const rows = [row({ campaign_id: 1n }), row({ campaign_id: 2n, ago: 2 })];
    const text = { over: undefined, when: "weekday = 'Friday'", change: undefined, alert: "{ text: 'x' }" };
    const [only, ...others] = verdictsOf(text, rows);
    expect([only?.truth, only?.subject, others]).toEqual(['true', expect.objectContaining({ campaignId: '1' }), []]);
  });

  it('are those of each day of "lasting"', () => {
    const text = { over: '1 days', when: "weekday IN ('Thursday', 'Friday')", lasting: '2 days' };
    expect(verdictOf(text, [row(), row({ ago: 2 })]).explain()).toContain('true on 2026-11-18 and 2026-11-19');
    expect(verdictOf({ ...text, lasting: '3 days' }, [row(), row({ ago: 2 })]).truth).toBe('false');
  });

  it('spread what is left of a month', () => {
    const change = 'set budget to (3000 - cost over month to date) / days_left';
    const rows = [row({ cost_micros: 800_000_000n })];
    const [request] = verdictOf({ change, when: 'clicks >= 30', currency: 'EUR' }, rows).requests();
    expect(request?.target && formatRational(request.target, 6)).toBe('200000000');
  });
});

describe('the hour of an account', () => {
  it.each([
    ['occurs twice when clocks are set back', ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'], [2, 2]],
    ['is missing when clocks are set forward', ['2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z'], [1, 3]],
  ])('%s', (_, instants, hours) => {
    expect(instants.map((instant) => hourAt(Date.parse(instant), 'Europe/Berlin'))).toEqual(hours);
  });
});

describe('a check of clock values', () => {
  const placesOf = (changes: RuleText) => checkText(ruleText(changes)).diagnostics.map(place);

  it.each<[string, RuleText, string[]]>([
    ['accepts them', { when: "weekday = 'Monday' AND hour >= 6 AND days_left > 3 AND day_of_month < 9" }, []],
    ['refuses a typo of a weekday', { when: "weekday = 'Mondy'" }, ['BAD_ENUM_CONSTANT 5:17-5:24']],
    ['refuses a typo in a list', { when: "weekday IN ('Monday', 'monday')" }, ['BAD_ENUM_CONSTANT 5:29-5:37']],
    ['refuses a weekday as a number', { when: 'weekday = 1' }, ['OPERATOR_FIELD_MISMATCH 5:7-5:18']],
    ['refuses an order of weekdays', { when: "weekday > 'Monday'" }, ['OPERATOR_FIELD_MISMATCH 5:7-5:25']],
    ['refuses LIKE', { when: "weekday LIKE 'M%'" }, ['OPERATOR_FIELD_MISMATCH 5:7-5:24']],
    ['refuses a window', { when: 'hour on yesterday > 3' }, ['BAD_WINDOW 5:12-5:24']],
    ['refuses them in "where"', { where: "weekday = 'Monday'" }, ['METRIC_IN_WHERE 7:8-7:15']],
    ['warns of an hour that never comes', { when: 'hour = 24' }, ['UNLIKELY_COMPARISON 5:14-5:16 (warning)']],
    [
      'warns of a day that no month has',
      { when: 'day_of_month BETWEEN 1 AND 32' },
      ['UNLIKELY_COMPARISON 5:34-5:36 (warning)'],
    ],
  ])('%s', (_, changes, places) => {
    expect(placesOf(changes)).toEqual(places);
  });

  it('says the next step', () => {
    const cases = ["weekday = 'Mondy'", 'weekday = Monday', "weekday LIKE 'M%'", 'hour = 24'];
    const found = cases.flatMap((when) => checkText(ruleText({ when })).diagnostics);
    expect(found.map(({ message, hint }) => `${message} ${hint}`).join('\n')).toMatchInlineSnapshot(`
      "Unknown weekday 'Mondy', expected a name from 'Monday' to 'Sunday'. Did you mean Monday?
      Unknown column "Monday". Put text in quotes: 'Monday'.
      Found a weekday with LIKE, expected =, != or IN. Write weekday = 'Monday', or weekday IN ('Saturday', 'Sunday').
      hour is a number of the clock, but the other side is 24. Write a number from 0 to 23."
    `);
  });
});
