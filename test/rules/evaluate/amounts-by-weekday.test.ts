import { describe, expect, it } from 'vitest';
import { addDays, daysOf, weekdayOf } from '../../../src/domain/civil-date.ts';
import { micros, unitsOf } from '../../../src/domain/micros.ts';
import { formatRational, roundHalfAway } from '../../../src/domain/rational.ts';
import { place } from '../../gaql/findings.ts';
import { accountOf, row, TODAY, verdictOf } from '../evaluated.ts';
import { checkText, type RuleText, ruleText } from '../rule-fixtures.ts';

const WEEK = daysOf({ from: addDays(TODAY, -6), to: TODAY });

/** The amounts from Monday to Sunday. */
function amountsOf(change: string): string[] {
  const text: RuleText = { change, when: 'clicks >= 0', currency: 'EUR' };
  const found = WEEK.map((today, index) => {
    const account = { ...accountOf(undefined, { today }), lastSettled: addDays(today, -1) };
    const [request] = verdictOf(text, [row({ ago: 7 - index })], account).requests();
    const amount = request?.target && formatRational(unitsOf(micros(roundHalfAway(request.target))), 2);
    return { day: weekdayOf(today), amount: amount ?? 'unknown' };
  });
  return found.toSorted((one, other) => one.day - other.day).map(({ amount }) => amount);
}

describe('amounts by weekday', () => {
  it.each([
    [
      'ranges, lists and the rest',
      'set budget to 60 on Monday to Friday, 30 on Saturday, else 20',
      '60 60 60 60 60 30 20',
    ],
    ['days in any case of letters', 'SET BUDGET TO 60 ON monday, ELSE 20', '60 20 20 20 20 20 20'],
    [
      'a list',
      'set budget to 5 on Saturday and Sunday, 9 on Monday and Wednesday to Friday, 7 on Tuesday',
      '9 7 9 9 9 5 5',
    ],
    ['a range over the end of a week', 'set budget to 5 on Friday to Monday, else 9', '5 9 9 9 5 5 5'],
    [
      'computed amounts',
      'set budget to 2 * budget on Monday, cost over 7 days / 7 on Friday, else budget / 2',
      '40 10 10 10 188.93 10 10',
    ],
  ])('are %s', (_, change, amounts) => {
    expect(amountsOf(change).join(' ')).toBe(amounts);
  });

  it('are unknown if that of today is', () => {
    const change = 'set budget to 20 * (cost / conversions) / 100 on Friday, else 20';
    const text = { from: 'keyword_stats', for: 'budget', change, when: 'clicks >= 0', currency: 'EUR' };
    const rows = [row({ conversions: 0, ad_group_id: 1n, ad_group_criterion_criterion_id: 1n })];
    expect(verdictOf(text, rows).requests()).toMatchObject([{ target: undefined }]);
  });
});

describe('a check of amounts by weekday', () => {
  const found = (change: string, limits = '{ cooldown: 1 day }') => checkText(ruleText({ change, limits })).diagnostics;

  it.each([
    ['a weekday without an amount', 'set budget to 60 on Monday to Friday', ['BAD_VALUE 6:9-6:45']],
    ['a weekday with two amounts', 'set budget to 60 on Monday, 5 on Monday, else 4', ['BAD_VALUE 6:42-6:48']],
    ['a typo', 'set budget to 60 on Mondy, else 4', ['UNEXPECTED_INPUT 6:29-6:34']],
    ['a typo in a list', 'set budget to 60 on Monday and Satuday, else 4', ['UNEXPECTED_INPUT 6:40-6:47']],
    ['a needless "else"', 'set budget to 60 on Monday to Sunday, else 4', ['BAD_VALUE 6:52-6:53']],
    ['two "else"', 'set budget to 60 on Monday, else 4, else 5', ['BAD_VALUE 6:50-6:51']],
    ['an amount without days', 'set budget to 60, 40 on Monday', ['UNEXPECTED_INPUT 6:25-6:26']],
    ['an amount of 0', 'set budget to 60 on Monday, else 0', ['BAD_VALUE 6:42-6:43']],
    ['a count', 'set budget to clicks on Monday, else 5', ['OPERATOR_FIELD_MISMATCH 6:23-6:29']],
    ['other changes', 'increase budget by 5 on Monday', ['UNEXPECTED_INPUT 6:30-6:32']],
  ])('refuses %s', (_, change, places) => {
    expect(found(change).map(place)).toEqual(places);
  });

  it('refuses a weekday as a window of a condition', () => {
    expect(checkText(ruleText({ when: 'clicks on Monday > 3' })).diagnostics.map(place)).toEqual([
      'UNEXPECTED_INPUT 5:14-5:16',
    ]);
  });

  it('says the next step', () => {
    const changes = ['set budget to 60 on Monday to Friday', 'set budget to 60 on Mondy, else 4'];
    expect(
      changes.flatMap((one) => found(one)).map(({ message, hint }) => `${message} ${hint}`),
    ).toMatchInlineSnapshot(`
      [
        "Saturday and Sunday would have no amount. Add ", else 50" with your amount.",
        "Found "Mondy", expected a window such as "over 7 days" or "same weekday over 4 weeks". Also valid: "over previous 7 days", "over month to date", "on yesterday", "on today". Did you mean Monday?",
      ]
    `);
  });

  it.each([
    [
      'a step that the amounts exceed',
      '{ step: 20% }',
      'From Sunday to Monday, the amount changes by more than the step of 20%.',
    ],
    [
      'a cooldown',
      '{ cooldown: 3 days }',
      'The amount changes by weekday, but the cooldown allows a change only every 3 days.',
    ],
    ['a floor above an amount', '{ floor: 40 }', 'The change always ends at the floor of 40.'],
  ])('warns of %s', (_, limits, message) => {
    expect(found('set budget to 60 on Monday to Friday, else 30', limits)).toMatchObject([
      { severity: 'warning', message },
    ]);
  });

  it('knows the amount of its currency', () => {
    expect(
      checkText(ruleText({ when: 'clicks > 3', change: 'set budget to 60 on Monday, else 30' })).rule?.amountAt?.start
        .column,
    ).toBe(23);
  });
});
