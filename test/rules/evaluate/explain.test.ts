import { describe, expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { accountOf, row, verdictOf } from '../evaluated.ts';

const explain = (when: string, over = '7 days', rows = [row()]) => verdictOf({ when, over }, rows).explain();

describe('a condition with its values', () => {
  const WEEK = '2026-11-13 to 2026-11-19';
  it.each([
    [
      'counts and amounts',
      'clicks >= 30 AND cost / clicks > 2.50',
      `clicks (412) >= 30 AND cost / clicks (3.21) > 2.50, ${WEEK}`,
    ],
    ['thousands', 'cost > 1000', `cost (1,322.52) > 1000, ${WEEK}`],
    ['parentheses inside a value', 'cost / (clicks + 1) > 2', `cost / (clicks + 1) (3.20) > 2, ${WEEK}`],
    [
      'looser parts in parentheses',
      '(clicks > 1 OR cost > 1) AND NOT (clicks = 2 OR cost = 2)',
      `(clicks (412) > 1 OR cost (1,322.52) > 1) AND NOT (clicks (412) = 2 OR cost (1,322.52) = 2), ${WEEK}`,
    ],
    ['text in quotes', "campaign_name = 'Shoes'", `campaign_name ('Shoes') = 'Shoes', ${WEEK}`],
    ['rates with four decimals', 'ctr < 0.05', `ctr (0.0412) < 0.05, ${WEEK}`],
    ['rates beside percentages as such', 'ctr < 5%', `ctr (4.12%) < 5%, ${WEEK}`],
    ['more than all of something', 'cost / budget > 90%', `cost / budget (6,612.6%) > 90%, ${WEEK}`],
    ['percentages of a range', 'ctr BETWEEN 2% AND 5%', `ctr (4.12%) BETWEEN 2% AND 5%, ${WEEK}`],
    ['percentages of a list', 'ctr NOT IN (2%, 5%)', `ctr (4.12%) NOT IN (2%, 5%), ${WEEK}`],
    ['percentages that round to the other side', 'ctr < 4.121%', `ctr (4.12%) < 4.121%, ${WEEK}`],
    ['BETWEEN', 'clicks NOT BETWEEN 1 AND impressions', `clicks (412) NOT BETWEEN 1 AND impressions (10,000), ${WEEK}`],
    ['IN', "campaign_name IN ('A', 'B')", `campaign_name ('Shoes') IN ('A', 'B'), ${WEEK}`],
    ['LIKE', "campaign_name NOT LIKE 'Test%'", `campaign_name ('Shoes') NOT LIKE 'Test%', ${WEEK}`],
    ['IS NULL', 'clicks IS NOT NULL', `clicks (412) IS NOT NULL, ${WEEK}`],
    ['the budget', 'cost > 7 * budget', `cost (1,322.52) > 7 * budget (140.00), ${WEEK}`],
    [
      'what rounds to the other side with more decimals',
      'cost / clicks > 3.2099',
      `cost / clicks (3.21) > 3.2099, ${WEEK}`,
    ],
  ])('shows %s', (_, when, expected) => {
    expect(explain(when)).toBe(expected);
  });

  it.each<[string, string, (string | { readonly not: string })[]]>([
    ['an AND that is false by one side', 'clicks >= 30 AND cost > 9999', [{ not: 'true' }, 'false']],
    ['an AND that is false by both', 'clicks < 30 AND cost > 9999', ['false', 'false']],
    ['an AND that is true', 'clicks >= 30 AND cost > 1', ['true', 'true']],
    ['an OR that is true by one side', 'clicks < 30 OR cost > 1', [{ not: 'false' }, 'true']],
    ['an OR that is false', 'clicks < 30 OR cost > 9999', ['false', 'false']],
    ['what is not known', 'clicks >= 30 AND cost over previous 7 days > 1', [{ not: 'true' }, 'unknown']],
    ['false beside unknown', 'clicks < 30 AND cost over previous 7 days > 1', ['false', { not: 'unknown' }]],
    ['an OR within an AND', '(clicks < 30 OR cost > 1) AND ctr > 50%', [{ not: 'false' }, { not: 'true' }, 'false']],
    ['a denied OR', 'NOT (clicks >= 30 OR cost > 9999)', ['true', { not: 'false' }]],
    ['a denied comparison', 'clicks >= 30 AND NOT cost > 1', [{ not: 'true' }, 'false']],
  ])('marks what decided: %s', (_, when, expected) => {
    const clauses = verdictOf({ when, over: '7 days' }, [row()]).clauses();
    expect(clauses.map(({ truth, decided }) => (decided ? truth : { not: truth }))).toEqual(expected);
  });

  it('marks no clause if another day decided', () => {
    const verdict = verdictOf({ when: 'clicks >= 30 AND cost > 1', over: 'yesterday', lasting: '2 days' }, [
      row(),
      row({ ago: 2, clicks: 1n }),
    ]);
    expect([verdict.truth, verdict.clauses()]).toEqual([
      'false',
      [
        { text: 'clicks (412) >= 30', written: 'clicks >= 30', values: ['412'], truth: 'true', decided: false },
        { text: 'cost (1,322.52) > 1', written: 'cost > 1', values: ['1,322.52'], truth: 'true', decided: false },
      ],
    ]);
  });

  it.each([
    ['clicks >= 30', ['412']],
    ['30 <= clicks', ['412']],
    ['clicks < 2 * clicks', ['412', '824']],
    ['clicks BETWEEN 10 AND 2 * clicks', ['412', '824']],
    ['clicks IN (1, 2)', ['412']],
    ['NOT (clicks > 1)', []],
    ['cost / cost > 20%', ['100%']],
  ])('gives the values of %s without its written numbers', (when, values) => {
    const [clause] = verdictOf({ when, over: '7 days' }, [row()]).clauses();
    expect(clause?.values).toEqual(values);
  });

  it('never shows different sides as the same number', () => {
    const rows = [row({ clicks: 30n, cost_micros: 75_000_001n })];
    expect(explain('cost / clicks > 2.50', '7 days', rows)).toContain('cost / clicks (2.500000033333) > 2.50');
    expect(explain('cost > 75.00', '7 days', rows)).toContain('cost (75.000001) > 75.00');
  });

  it('names the other days it used', () => {
    const rows = [row(), row({ ago: 8, cost_micros: 750_000_000n })];
    expect(explain('cost > 1.2 * cost over previous 7 days', '7 days', rows)).toBe(
      'cost (1,322.52) > 1.2 * cost over previous 7 days (900.00), 2026-11-13 to 2026-11-19; previous 7 days: 2026-11-06 to 2026-11-12',
    );
  });

  it.each([
    ['no rows', 'cost over previous 7 days > 1', '7 days', '(unknown: no rows in 2026-11-06 to 2026-11-12)'],
    ['division by zero', 'cost / (clicks - clicks) > 1', '7 days', '(unknown: division by zero)'],
    ['no attribute', "campaign_status = 'PAUSED'", '7 days', '(unknown: no campaign_status)'],
    [
      'too few days',
      'deviation(clicks) same weekday over 2 weeks > 1',
      '7 days',
      '(unknown: no rows on 2026-11-05 and 2026-11-12)',
    ],
  ])('says why something is unknown: %s', (_, when, over, expected) => {
    expect(explain(when, over, [row({ campaign_status: null })])).toContain(expected);
  });

  it.each([
    ['when no campaign has rows', {}, '(unknown: no campaign has rows)'],
    [
      'when none with rows is chosen',
      { where: "campaign_name = 'Boots'" },
      '(unknown: "where" selects no campaign with rows)',
    ],
  ])('says why the budget of an account is unknown %s', (_, changes, expected) => {
    const rows = 'where' in changes ? [row()] : [];
    expect(verdictOf({ for: 'account', when: 'budget > 1', ...changes }, rows).explain()).toContain(expected);
  });

  it('says why there are no days', () => {
    const account = accountOf({}, { today: civilDate('2026-12-01'), lastSettled: civilDate('2026-11-30') });
    const text = { when: 'cost > 1 AND budget > 1 AND clicks over 30 days > 1', over: 'month to date' };
    expect(verdictOf(text, [row()], account).explain()).toBe(
      'cost (unknown: no day since 2026-12-01 is complete yet) > 1 AND budget (unknown: the budget is not known) > 1 AND ' +
        'clicks over 30 days (412) > 1, none, no day since 2026-12-01 is complete yet; 30 days: 2026-11-01 to 2026-11-30',
    );
  });

  it('shows amounts with the decimals of the currency', () => {
    const show = (currency: string) => verdictOf({ when: 'cost > 1' }, [row()], accountOf({}, { currency })).explain();
    expect(show('JPY')).toContain('cost (1,323) > 1');
    expect(show('KWD')).toContain('cost (1,322.520) > 1');
  });
});

describe('the numbers of a condition', () => {
  const numbers = (when: string) => verdictOf({ when, over: '7 days' }, [row()]).numbersText();
  const WEEK = '2026-11-13 to 2026-11-19';

  it.each([
    ['without what is asked of them', 'clicks NOT BETWEEN 1 AND 500', `clicks 412, ${WEEK}`],
    [
      'each once, amounts with their currency',
      'clicks > 500 AND cost / clicks > 5',
      `clicks 412, cost 1,322.52 EUR, ${WEEK}`,
    ],
    ['and what is one name as one number', 'ctr < 5% OR average_cpc > 9', `ctr 4.12%, average_cpc 3.21 EUR, ${WEEK}`],
    ['and no texts', "campaign_name = 'Boots' AND clicks < 5", `clicks 412, ${WEEK}`],
    ['unless there is none', "campaign_name = 'Boots'", undefined],
    ['unless one is not known', 'clicks > 500 AND cost over previous 7 days > 1', undefined],
  ])('are listed %s', (_, when, expected) => {
    expect(numbers(when)).toBe(expected);
  });
});

describe('an alert', () => {
  const alert = (text: string, rows = [row()]) =>
    verdictOf(
      { when: 'impressions > 1', change: undefined, alert: `{ severity: info, text: '${text}' }` },
      rows,
    ).alertText();

  it.each([
    ['{campaign_name}: {cost / clicks} a click', 'Shoes: 3.21 EUR a click'],
    ['{ctr} of {impressions}', '4.12% of 10,000'],
    ['{impressions / clicks} a click', '24.27 a click'],
    ['{cost over previous 7 days} before', 'unknown before'],
    ['{budget} a day', '20.00 EUR a day'],
  ])('%s', (text, expected) => {
    expect(alert(text)).toBe(expected);
  });

  it('has no text if the rule does not fire or has no alert', () => {
    expect(alert('x', [row({ impressions: 0n })])).toBeUndefined();
    expect(verdictOf({ when: 'clicks > 1' }, [row()]).alertText()).toBeUndefined();
  });
});
