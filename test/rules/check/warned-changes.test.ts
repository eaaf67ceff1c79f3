import { describe, expect, it } from 'vitest';
import { decideChanges } from '../../../src/language/rules/decide/decide-changes.ts';
import type { AccountFacts } from '../../../src/language/rules/decide/decision.ts';
import { accountOf, budgetOf, row, TODAY, verdictOf } from '../evaluated.ts';
import { checkText, type RuleText, ruleText } from '../rule-fixtures.ts';

const warned = (change: string, limits: string) =>
  checkText(ruleText({ change, limits })).diagnostics.map(({ code, severity, message }) => [code, severity, message]);

/** What becomes of budgets of these amounts: a code of a refusal, or the new amount. */
function outcomes(change: string, limits: string, amounts: readonly string[]): Set<string> {
  const text: RuleText = { change, limits, when: 'clicks >= 30', currency: 'EUR' };
  const found = amounts.map((amount) => {
    const budget = budgetOf(71, amount);
    const requests = verdictOf(text, [row()], accountOf({ 1: budget })).requests();
    const facts: AccountFacts = {
      customerId: accountOf().customerId,
      currency: 'EUR',
      today: TODAY,
      frozen: undefined,
      dailyTotalMax: undefined,
      dailyExposureMax: undefined,
      budgets: new Map([
        [
          budget.budgetId,
          {
            ...budget,
            source: 'read',
            removed: false,
            campaigns: [],
            decidedToday: undefined,
            outcomeOpen: false,
            proposed: undefined,
            changes: [],
          },
        ],
      ]),
    };
    const [decision] = decideChanges(requests, facts, 'apply');
    return decision?.kind === 'refused' ? decision.refusal.code : String(decision?.to);
  });
  return new Set(found);
}

const ANY = ['0.05', '0.30', '4', '20', '75', '150', '400', '9000'];
const WITHIN = ['5', '20', '75', '100'];
const LIMITS = '{ floor: 5, ceiling: 100 }';

describe('a change that the guards always refuse', () => {
  it.each<[string, string, readonly string[], string[]]>([
    ['increase budget by 2000%', '{ cooldown: 1 day }', ANY, ['UNIT_SANITY']],
    ['decrease budget by 96%', '{ step: 20% }', ANY, ['UNIT_SANITY']],
    ['set budget to 30 * budget', '{ step: 20% }', ANY, ['UNIT_SANITY']],
    ['set budget to budget / 30.4', '{ step: 20% }', ANY, ['UNIT_SANITY']],
    ['set budget to budget - 2 * budget', '{ step: 20% }', ANY, ['NOT_POSITIVE']],
    ['set budget to budget', '{ step: 20% }', ANY, ['NO_CHANGE']],
    ['set budget to 6000', LIMITS, WITHIN, ['UNIT_SANITY']],
    ['set budget to 0.2', LIMITS, WITHIN, ['UNIT_SANITY']],
    ['set budget to 0.01', '{ cooldown: 1 day }', ANY.slice(1), ['UNIT_SANITY']],
    ['set budget to 9999999999999', '{ cooldown: 1 day }', ANY, ['TOO_LARGE']],
    ['decrease budget by 100', LIMITS, WITHIN, ['NOT_POSITIVE']],
  ])('%s with %s is a warning, and is refused', (change, limits, amounts, codes) => {
    const found = warned(change, limits);
    expect(found).toEqual([['UNLIKELY_CHANGE', 'warning', expect.stringContaining(codes.join())]]);
    expect([...outcomes(change, limits, amounts)]).toEqual(codes);
  });
});

describe('a change that always ends at a limit', () => {
  it.each([
    ['increase budget by 30%', '{ step: 20% }', 'step of 20%'],
    ['decrease budget by 60%', '{ drift: 50% over 30 days }', 'drift of 50%'],
    ['set budget to 1.5 * budget', '{ step: 20% }', 'step of 20%'],
    ['set budget to 120', LIMITS, 'ceiling of 100'],
    ['set budget to 2 + 2', LIMITS, 'floor of 5'],
    ['increase budget by 100', LIMITS, 'ceiling of 100'],
  ])('%s with %s is a warning', (change, limits, words) => {
    expect(warned(change, limits)).toEqual([
      ['UNLIKELY_CHANGE', 'warning', expect.stringContaining(`always ends at the ${words}.`)],
    ]);
  });
});

describe('a change that some budgets can get', () => {
  it.each([
    ['increase budget by 20%', '{ step: 20%, drift: 20% over 30 days }'],
    ['increase budget by 1900%', '{ cooldown: 1 day }'],
    ['decrease budget by 95%', '{ cooldown: 1 day }'],
    ['set budget to 100', LIMITS],
    ['set budget to 5', LIMITS],
    ['set budget to 0.05', '{ cooldown: 1 day }'],
    ['set budget to budget + 1', LIMITS],
    ['set budget to 40 * cost over 7 days / 7', LIMITS],
    ['decrease budget by 99', LIMITS],
  ])('%s with %s is no warning', (change, limits) => {
    expect(warned(change, limits)).toEqual([]);
  });
});

it('a warning has a place and a next step', () => {
  const found = ['set budget to 0.01', 'set budget to 6000', 'decrease budget by 96%'].flatMap(
    (change) => checkText(ruleText({ change, limits: LIMITS })).diagnostics,
  );
  expect(
    found.map(({ span, message, hint }) => `${span.start.line}:${span.start.column} ${message} ${hint}`).join('\n'),
  ).toMatchInlineSnapshot(`
    "6:9 0.01 is always refused (UNIT_SANITY): it is more than 20 times below the floor of 5. Write the amount in currency units, such as 60.
    6:9 6000 is always refused (UNIT_SANITY): it is more than 20 times above the ceiling of 100. Write the amount in currency units, such as 60.
    6:9 The change is always refused (UNIT_SANITY): the budget is multiplied or divided by 25, expected at most 20. Write a smaller change."
  `);
});
