import { describe, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/civil-date.ts';
import { readsToday } from '../../../src/language/rules/evaluate/collect-values.ts';
import { place } from '../../gaql/findings.ts';
import { accountOf, evaluateAll, row, TODAY, verdictOf } from '../evaluated.ts';
import { checkText, type RuleText, ruleOf, ruleText } from '../rule-fixtures.ts';

const ALERT: RuleText = { from: 'so_far', change: undefined, alert: "{ severity: info, text: '{clicks on today}' }" };
const read = accountOf(undefined, { readToday: true });
const open = accountOf(undefined, { readToday: false });
const placesOf = (changes: RuleText, settle = 0) =>
  checkText(ruleText({ ...ALERT, ...changes }), 'a-rule', new Map([['so_far', settle]])).diagnostics.map(place);

describe('a rule that reads today', () => {
  it.each<[string, RuleText, string[]]>([
    ['may alert', { when: 'clicks on today > 3' }, []],
    ['may have it as its own days', { over: 'today', when: 'clicks > clicks same weekday over 4 weeks' }, []],
    ['may look at it in any case of letters', { over: 'Today', when: 'clicks ON TODAY > 3' }, []],
    [
      'may not change a budget by its condition',
      { when: 'clicks on today > 3', change: 'decrease budget by 10%', alert: undefined },
      ['WINDOW_NOT_SETTLED 6:1-6:7'],
    ],
    [
      'may not change a budget by its own days',
      { over: 'today', when: 'clicks > 3', change: 'decrease budget by 10%', alert: undefined },
      ['WINDOW_NOT_SETTLED 6:1-6:7'],
    ],
    [
      'may not set a budget to what was spent so far',
      { when: 'clicks > 3', change: 'set budget to cost on today', alert: undefined },
      ['WINDOW_NOT_SETTLED 6:1-6:7'],
    ],
    [
      'needs a query that reads it',
      { from: 'keyword_stats', when: 'clicks on today > 3', alert: "{ text: 'x' }" },
      ['WINDOW_NOT_SETTLED 5:14-5:22'],
    ],
    [
      'needs a query whose days move',
      { from: 'fixed_days', over: 'today', when: 'clicks > 3', alert: "{ text: 'x' }" },
      ['WINDOW_NOT_SETTLED 4:7-4:12'],
    ],
    ['writes it as a day', { when: 'clicks over today > 3' }, ['UNEXPECTED_INPUT 5:19-5:24']],
  ])('%s', (_, changes, places) => {
    expect(placesOf(changes)).toEqual(places);
  });

  it('does not wait for complete days', () => {
    expect(placesOf({ over: 'today', when: 'clicks > 3' }, 5)).toEqual([]);
  });

  it('gets a next step', () => {
    const cases: RuleText[] = [
      { over: 'today', when: 'clicks > 3', change: 'decrease budget by 10%' },
      { from: 'keyword_stats', over: 'today', when: 'clicks > 3' },
      { when: 'clicks over today > 3' },
    ];
    const messages = cases.flatMap((changes) =>
      checkText(ruleText({ ...ALERT, alert: "{ text: 'x' }", ...changes })).diagnostics.map(
        ({ message, hint }) => `${message} ${hint}`,
      ),
    );
    expect(messages.join('\n')).toMatchInlineSnapshot(`
      "Today is not complete, and changes need complete days. A rule that uses today's numbers may only alert. Replace change with alert, or read complete days: on yesterday, over 7 days.
      "on today" needs today, but the last day of the query keyword_stats is yesterday. Extend the query to today: "AND :today".
      Found "today", expected a window such as "over 7 days" or "same weekday over 4 weeks". Also valid: "over previous 7 days", "over month to date", "on yesterday", "on today". Write days as "over 7 days", "over month to date" or "on today"."
    `);
  });

  it('is recognised where today is not available', () => {
    const rules = [
      ruleOf({ ...ALERT, when: 'clicks > 3' }),
      ruleOf({ ...ALERT, alert: "{ text: 'x' }", over: 'today', when: 'clicks > 3' }),
      ruleOf({ ...ALERT, alert: "{ text: 'x' }", when: 'clicks > 3' }),
    ];
    expect(rules.map(readsToday)).toEqual([true, true, false]);
  });
});

describe('today', () => {
  it('contains the numbers read today, and no other day', () => {
    const rows = [row({ ago: 0, clicks: 5n }), row({ clicks: 9n })];
    expect(verdictOf({ ...ALERT, when: 'clicks on today = 5 AND clicks over 7 days = 9' }, rows, read).truth).toBe(
      'true',
    );
    expect(verdictOf({ ...ALERT, over: 'today', when: 'clicks = 5' }, rows, read).alertText()).toBe('5');
  });

  it('is zero by default if it was read and has no row', () => {
    expect(verdictOf({ ...ALERT, when: 'coalesce(clicks on today, 0) = 0' }, [row()], read).truth).toBe('true');
  });

  it.each([
    ['zero on purpose', 'coalesce(clicks on today, 0) = 0'],
    ['a test for no value', 'clicks on today IS NULL'],
  ])('is unknown if it was not read, and no default replaces it: %s', (_, when) => {
    const verdict = verdictOf({ ...ALERT, when: `clicks over 7 days > 0 AND ${when}` }, [row()], open);
    expect(verdict.truth).toBe('unknown');
    expect(verdict.explain()).toContain('2026-11-20 has not been read yet');
  });

  it('leaves a rule for today only unevaluated if it was not read, with the reason', () => {
    expect(evaluateAll([ruleOf({ ...ALERT, over: 'today', when: 'clicks > 3' })], [row()], open)).toMatchObject([
      { kind: 'not', reason: '2026-11-20 has not been read yet' },
    ]);
  });

  it('requires the other days of the rule to be complete', () => {
    const rule = ruleOf({ ...ALERT, over: 'today', when: 'clicks > 2 * clicks over previous 7 days' });
    const early = accountOf(undefined, { readToday: true, settled: (day) => day < addDays(TODAY, -1) });
    expect(evaluateAll([rule], [row({ ago: 0 })], early)).toMatchObject([
      { kind: 'not', reason: 'so_far has no complete data for 2026-11-19' },
    ]);
  });
});
