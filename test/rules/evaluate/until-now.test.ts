import { describe, expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { place } from '../../gaql/findings.ts';
import { accountOf, evaluateAll, row, type TableRow, TODAY, verdictOf } from '../evaluated.ts';
import { checkText, type RuleText, ruleOf, ruleText } from '../rule-fixtures.ts';

const USUAL = 'clicks same weekday over 4 weeks until now';
const ALERT: RuleText = {
  from: 'hours',
  over: undefined,
  when: `clicks on today until now < 50% * ${USUAL}`,
  change: undefined,
  alert: "{ text: '{clicks on today until now}' }",
};
/** Today was read at some minutes past 14:00. */
const read = accountOf(undefined, { readToday: true, readHours: 14 });
const at = (ago: number, hour: number, clicks: bigint): TableRow => row({ ago, hour: BigInt(hour), clicks });
const findingsOf = (changes: RuleText) => checkText(ruleText({ ...ALERT, ...changes })).diagnostics;
const truthOf = (when: string, rows: readonly TableRow[], account = read) =>
  verdictOf({ ...ALERT, when }, rows, account).truth;

describe('a check of "until now"', () => {
  it.each<[string, RuleText, string[]]>([
    ['accepts an alert', {}, []],
    ['accepts the hours of any days', { when: 'clicks over 7 days until now > clicks on yesterday until now' }, []],
    [
      'refuses a query without hours',
      { from: 'so_far', alert: "{ text: 'x' }" },
      ['BAD_WINDOW 4:14-4:32', 'BAD_WINDOW 4:48-4:83'],
    ],
    [
      'refuses a query that does not read today',
      { from: 'past_hours', when: 'clicks on yesterday until now > 3', alert: "{ text: 'x' }" },
      ['WINDOW_NOT_SETTLED 4:14-4:36'],
    ],
    [
      'refuses a change',
      { when: 'clicks on yesterday until now > 3', change: 'decrease budget by 10%', alert: undefined },
      ['WINDOW_NOT_SETTLED 5:1-5:7'],
    ],
    ['refuses consecutive days', { lasting: '2 days' }, ['WINDOW_NOT_SETTLED 6:1-6:8']],
    [
      'counts back from today, not from yesterday',
      { when: 'clicks same weekday over 5 weeks until now > clicks same weekday over 5 weeks' },
      ['WINDOW_LONGER_THAN_DATA 4:59-4:84'],
    ],
    ['warns of today as a whole', { when: `clicks on today < 50% * ${USUAL}` }, ['MIXED_WINDOWS 4:7-4:73 (warning)']],
    [
      'warns of today in "over"',
      { over: 'today', when: `clicks < 50% * ${USUAL}` },
      ['MIXED_WINDOWS 5:7-5:64 (warning)'],
    ],
    ['refuses it without a window', { when: 'clicks until now > 3' }, ['UNEXPECTED_INPUT 4:14-4:19']],
    ['refuses half of it', { when: 'clicks on today until 14 > 3' }, ['UNEXPECTED_INPUT 4:29-4:31']],
  ])('%s', (_, changes, places) => {
    expect(findingsOf(changes).map(place)).toEqual(places);
  });

  it('names the change of the query, and how to write the words', () => {
    const found = [
      { from: 'so_far', when: 'clicks on today until now > 3' },
      { from: 'past_hours', when: 'clicks on yesterday until now > 3' },
      { when: 'clicks until now > 3' },
      { when: 'clicks on today until 14 > 3' },
      { when: `clicks on today < ${USUAL}` },
    ].flatMap((changes) => findingsOf({ alert: "{ text: 'x' }", ...changes }));
    expect(found.map(({ message, hint }) => `${message} ${hint}`).join('\n')).toMatchInlineSnapshot(`
      ""on today until now" compares hours, but the query so_far does not select segments.hour. Add segments.hour to queries/so_far.sql.
      "on yesterday until now" needs today, but the last day of the query past_hours is yesterday. Extend the query to today: "AND :today".
      Found "until", expected a comparison such as "clicks >= 30", joined with AND or OR. Write days as "over 7 days", "over month to date" or "on today".
      Found "14", expected "until now" after the window. undefined
      The value of today includes the hour that has not ended, but "until now" leaves this hour out. Write "on today until now" after the metric of today."
    `);
  });
});

describe('a value until now', () => {
  it('counts the same hours of each day, whose other hours count elsewhere', () => {
    const rows = [
      at(0, 13, 20n),
      at(0, 14, 5n),
      ...[7, 14, 21, 28].flatMap((ago) => [at(ago, 0, 30n), at(ago, 13, 20n), at(ago, 14, 400n)]),
    ];
    const verdict = verdictOf(ALERT, rows, read);
    expect(verdict.truth).toBe('true');
    expect(verdict.alertText()).toBe('20');
    expect(verdict.explain()).toMatchInlineSnapshot(
      `"clicks on today until now (20) < 50% * clicks same weekday over 4 weeks until now (25), today until now: 2026-11-20, 00:00 to 14:00; same weekday over 4 weeks until now: 2026-10-23, 2026-10-30, 2026-11-06 and 2026-11-13, 00:00 to 14:00"`,
    );
    expect(truthOf('clicks on today = 25 AND clicks same weekday over 3 weeks until now = 50', rows)).toBe('true');
    expect(truthOf('median(clicks) same weekday over 4 weeks until now = 50', rows)).toBe('true');
  });

  it('is zero on a day that has only later hours, and unknown on days without rows', () => {
    const rows = [at(0, 13, 20n), at(1, 14, 9n), at(7, 20, 8n)];
    expect(truthOf('clicks on yesterday until now = 0', rows)).toBe('true');
    expect(truthOf(`${USUAL} = 0`, rows)).toBe('true');
    expect(truthOf('clicks same weekday over 4 weeks until now IS NULL', [at(0, 1, 2n)])).toBe('true');
  });

  it('is unknown before the first whole hour was read, and no default replaces it', () => {
    const early = accountOf(undefined, { readToday: true, readHours: 0 });
    const when = 'clicks over 7 days > 0 AND coalesce(clicks on yesterday until now, 0) = 0';
    const verdict = verdictOf({ ...ALERT, when, alert: "{ text: 'x' }" }, [at(1, 3, 5n)], early);
    expect([verdict.truth, verdict.explain()]).toEqual([
      'unknown',
      expect.stringContaining('no whole hour of 2026-11-20 has been read yet'),
    ]);
  });

  it('is not evaluated if today is a holiday, whose weekday it compares', () => {
    const holiday = { ...read, holidays: new Set([TODAY]) };
    expect(evaluateAll([ruleOf(ALERT)], [at(0, 1, 2n)], holiday)).toMatchObject([
      { kind: 'not', reason: '2026-11-20 is a holiday, and rules do not compare holidays with other days' },
    ]);
    const before = { ...read, holidays: new Set([civilDate('2026-11-19')]) };
    expect(truthOf(ALERT.when ?? '', [at(0, 1, 2n), at(7, 1, 9n)], before)).toBe('true');
  });

  it('has amounts and decimals, too', () => {
    const rows = [
      row({ ago: 1, hour: 1n, cost_micros: 2_500_000n, conversions_value: 1.5 }),
      row({ ago: 1, hour: 14n, cost_micros: 9_000_000n, conversions_value: 8 }),
    ];
    expect(truthOf('(conversions_value / cost) over 7 days until now = 0.6', rows)).toBe('true');
  });
});
