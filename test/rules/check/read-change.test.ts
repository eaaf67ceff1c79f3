import { describe, expect, it } from 'vitest';
import { place } from '../../gaql/findings.ts';
import { checkText, money, ruleOf, ruleText } from '../rule-fixtures.ts';
import { resolved } from '../shape.ts';

const findingsOf = (change: string) =>
  checkText(ruleText({ change })).diagnostics.map(
    (found) => `${place(found)} ${found.message}${found.hint ? ` ${found.hint}` : ''}`,
  );

describe('a change', () => {
  it.each([
    [
      'in capitals',
      'INCREASE Budget BY 10 %',
      { direction: 'increase', by: { kind: 'share', share: { n: 1n, d: 10n } } },
    ],
    [
      'on several lines',
      '>-\n  decrease budget\n  by 2.50',
      { direction: 'decrease', by: { kind: 'amount', amount: money('2.50') } },
    ],
    [
      'in quotes',
      '"decrease budget by 0.5%"',
      { direction: 'decrease', by: { kind: 'share', share: { n: 1n, d: 200n } } },
    ],
  ])('may be written %s', (_, change, expected) => {
    expect(ruleOf({ change }).change).toMatchObject({ kind: 'by', ...expected });
  });

  it.each([
    ['an amount', 'set budget to 50', '50'],
    ['a multiple', 'set budget to 110% * budget', '(11/10 * BUDGET)'],
    ['the spend', 'Set Budget To 1.2 * cost over 14 days / 14', '((6/5 * sum[cost_micros÷1000000 over 14 days]) / 14)'],
    [
      'the first known of two values',
      'set budget to coalesce(cost on yesterday, budget)',
      'coalesce(sum[cost_micros÷1000000 on yesterday], BUDGET)',
    ],
  ])('may set the budget to %s', (_, text, expected) => {
    const { change } = ruleOf({ change: text });
    expect(change?.kind === 'to' && [change.text, resolved(change.value)]).toEqual([text, expected]);
  });

  it('is refused with its position', () => {
    const changes = [
      ...'increase budget by, increase budget 10%, increase by 10%, increase budget by -5'.split(', '),
      ...'increase budget by 5 EUR, increase budget by 0.0000001, increase budget by 100000%'.split(', '),
      ...'decrease budget by 100%, increase budget by x, set budget to, set budget to clicks'.split(', '),
      ...'set budget to campaign_name, set budget to 0, set budget to 10%, set budget to bugdet'.split(', '),
      ...'set budget to budget > 5, set budget to cost over 60 days, set budget = 5'.split(', '),
    ];
    expect(changes.map((change) => `${change} → ${findingsOf(change).join(' | ')}`).join('\n')).toMatchInlineSnapshot(`
      "increase budget by → UNEXPECTED_END_OF_QUERY 6:27-7:1 The change ends too early, expected "increase budget by 10%", "decrease budget by 5", "set budget to 1.1 * budget" or "pace budget to 3000 per month".
      increase budget 10% → UNEXPECTED_INPUT 6:25-6:27 Found "10", expected "increase budget by 10%", "decrease budget by 5", "set budget to 1.1 * budget" or "pace budget to 3000 per month".
      increase by 10% → UNEXPECTED_INPUT 6:18-6:20 Found "by", expected "increase budget by 10%", "decrease budget by 5", "set budget to 1.1 * budget" or "pace budget to 3000 per month".
      increase budget by -5 → UNEXPECTED_INPUT 6:28-6:29 Found "-", expected "increase budget by 10%", "decrease budget by 5", "set budget to 1.1 * budget" or "pace budget to 3000 per month".
      increase budget by 5 EUR → UNEXPECTED_INPUT 6:30-6:33 Found "EUR", expected the end: a change is "increase budget by 10%", "decrease budget by 5", "set budget to 1.1 * budget" or "pace budget to 3000 per month". Remove EUR. Set the currency with its own key: "currency: EUR".
      increase budget by 0.0000001 → BAD_VALUE 6:28-6:37 Found 0.0000001, expected an amount from 0.000001 to 9223372036854.775807.
      increase budget by 100000% → BAD_VALUE 6:28-6:35 Found 100000%, expected a percentage below 100000% with at most six decimals.
      decrease budget by 100% → BAD_VALUE 6:28-6:32 A decrease by 100% or more leaves no budget.
      increase budget by x → UNEXPECTED_INPUT 6:28-6:29 Found "x", expected "increase budget by 10%", "decrease budget by 5", "set budget to 1.1 * budget" or "pace budget to 3000 per month".
      set budget to → UNEXPECTED_END_OF_QUERY 6:22-7:1 The change ends too early, expected a value: a column, a number, text in quotes or a value in parentheses.
      set budget to clicks → OPERATOR_FIELD_MISMATCH 6:23-6:29 Found a plain number, expected an amount of money for the new budget. cost and budget are amounts. Example: "set budget to 1.1 * budget".
      set budget to campaign_name → OPERATOR_FIELD_MISMATCH 6:23-6:36 Found text, expected an amount of money for the new budget. cost and budget are amounts. Example: "set budget to 1.1 * budget".
      set budget to 0 → BAD_VALUE 6:23-6:24 Found a budget of 0, expected an amount above zero.
      set budget to 10% → OPERATOR_FIELD_MISMATCH 6:23-6:26 Found a plain number, expected an amount of money for the new budget. cost and budget are amounts. Example: "set budget to 1.1 * budget".
      set budget to bugdet → UNRECOGNIZED_FIELD 6:23-6:29 Unknown column "bugdet". Did you mean budget?
      set budget to budget > 5 → UNEXPECTED_INPUT 6:30-6:31 Found ">", expected the end: a change is "increase budget by 10%", "decrease budget by 5", "set budget to 1.1 * budget" or "pace budget to 3000 per month".
      set budget to cost over 60 days → WINDOW_LONGER_THAN_DATA 6:28-6:40 "over 60 days" starts 60 days ago, but the query stats starts 30 days ago. Read more days: segments.date BETWEEN :today-60 AND :yesterday. Or shorten the window.
      set budget = 5 → UNEXPECTED_INPUT 6:20-6:21 Found "=", expected "increase budget by 10%", "decrease budget by 5", "set budget to 1.1 * budget" or "pace budget to 3000 per month"."
    `);
  });
});
