import { describe, expect, it } from 'vitest';
import { formatRational } from '../../../src/domain/rational.ts';
import { refused } from '../../../src/language/rules/decide/refusal.ts';
import { refusalWords } from '../../../src/language/rules/decide/refusal-words.ts';
import { accountOf, row, verdictOf } from '../evaluated.ts';
import type { RuleText } from '../rule-fixtures.ts';

describe('requests', () => {
  const requestOf = (text: RuleText, account = accountOf()) => {
    const [request] = verdictOf({ when: 'clicks >= 30', ...text }, [row()], account).requests();
    return request;
  };
  it.each([
    ['decrease budget by 15%', '17000000'],
    ['increase budget by 10%', '22000000'],
    ['increase budget by 2.5%', '20500000'],
    ['decrease budget by 3', '17000000'],
    ['decrease budget by 25', '-5000000'],
    ['set budget to cost / 7', '188931428.57'],
    ['set budget to 12.50', '12500000'],
  ])('%s', (change, micros) => {
    const target = requestOf({ change })?.target;
    expect(target && formatRational(target, 2)).toBe(micros);
  });

  it('have no target if the amount cannot be computed', () => {
    expect(requestOf({ change: 'set budget to cost over previous 7 days' })).toMatchObject({
      budgetId: '71',
      target: undefined,
    });
  });

  it('have no budget if it is not known', () => {
    expect(requestOf({}, accountOf({}))).toMatchObject({ budgetId: undefined, target: undefined });
  });

  it('contain the reason, in the words of the rule', () => {
    expect(requestOf({})?.because).toBe('clicks (412) >= 30, 2026-11-13 to 2026-11-19');
  });

  const tooLittleOf = (text: RuleText, rows = [row()]) => {
    const [request] = verdictOf({ when: 'impressions > 0', ...text }, rows).requests();
    const missing = request?.tooLittle ?? [];
    return missing.length === 0 ? undefined : refusalWords(refused('NOT_ENOUGH_DATA', { missing, currency: 'EUR' }));
  };

  it.each([
    ['{ clicks: 30 }', undefined],
    ['{ clicks: 412 }', undefined],
    ['{ clicks: 1500 }', 'There is too little data: 412 clicks, at least 1,500 are needed.'],
    ['{ cost: 2000 }', 'There is too little data: cost of 1,322.52 EUR, at least 2,000.00 EUR is needed.'],
    [
      '{ clicks: 413, cost: 2000 }',
      'There is too little data: 412 clicks, at least 413 are needed; cost of 1,322.52 EUR, at least 2,000.00 EUR is needed.',
    ],
  ])('name the numbers below the minimum: %s', (minimum, expected) => {
    expect(tooLittleOf({ limits: `{ minimum: ${minimum} }` })).toBe(expected);
  });

  it('treat unknown numbers as below the minimum', () => {
    const limits = '{ minimum: { clicks: 30 } }';
    expect(tooLittleOf({ limits }, [row({ clicks: null })])).toBe(
      'There is too little data: clicks unknown, at least 30 are needed.',
    );
  });

  it('are absent if the rule does not fire or only alerts', () => {
    expect(requestOf({ when: 'clicks < 30' })).toBeUndefined();
    expect(requestOf({ when: 'clicks over previous 7 days > 0' })).toBeUndefined();
    expect(requestOf({ change: undefined, alert: "{ severity: info, text: 'x' }" })).toBeUndefined();
  });
});
