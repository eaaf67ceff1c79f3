import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../src/domain/errors.ts';
import {
  budgetId,
  budgetResourceName,
  campaignId,
  customerId,
  parseBudgetResourceName,
  readCustomerId,
} from '../../src/domain/ids.ts';

describe('a typed customer id', () => {
  it.each([
    ['digits alone', '1234567890', '1234567890'],
    ['dashes between the groups', '123-456-7890', '1234567890'],
    ['dashes anywhere', '-1-2-', '12'],
    ['spaces around it', ' 123-456-7890\t', '1234567890'],
    ['the largest int64', '9223372036854775807', '9223372036854775807'],
  ])('B8: takes %s', (_, text, id) => {
    expect(readCustomerId(text)).toEqual({ kind: 'ok', id });
  });

  it.each([
    ['parentheses', '(123) 456-7890'],
    ['a single parenthesis', '1234567890)'],
  ])('B8: refuses %s with a reason', (_, text) => {
    expect(readCustomerId(text)).toEqual({
      kind: 'refused',
      reason: `Invalid customer id "${text}": found parentheses, expected only digits or dashes.`,
    });
  });

  it.each([
    ['nothing', ''],
    ['dashes alone', '---'],
    ['a leading zero', '0123456789'],
    ['spaces between the groups', '123 456 7890'],
    ['a dash of another length', '123–456–7890'],
    ['letters', 'customers/1'],
    ['a sign', '+1234567890'],
    ['digits of another script', '١٢٣'],
    ['twenty digits', '12345678901234567890'],
    ['a line break inside', '123\n456'],
  ])('B8: refuses %s', (_, text) => {
    expect(readCustomerId(text)).toEqual({
      kind: 'refused',
      reason: `Invalid customer id "${text}": expected digits such as 1234567890 or 123-456-7890.`,
    });
  });

  it('B8: reads any text as digits, or refuses it', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const reading = readCustomerId(text);
        if (reading.kind === 'ok') expect(reading.id).toMatch(/^[1-9]\d{0,18}$/);
      }),
    );
  });
});

describe('ids of the interface', () => {
  it.each([
    ['customer id', customerId],
    ['campaign id', campaignId],
    ['budget id', budgetId],
  ])('a %s has digits only; dashes are a bug', (what, make) => {
    expect(make('123')).toBe('123');
    for (const text of ['', '1-2', '012', '12345678901234567890', '1\n']) {
      expect(() => make(text)).toThrow(new InvariantError(`"${text}" is not a ${what}.`));
    }
  });
});

describe('resource names of budgets', () => {
  it('B3: are written and read as customers/…/campaignBudgets/…', () => {
    const name = budgetResourceName(customerId('1234567890'), budgetId('77'));
    expect(name).toBe('customers/1234567890/campaignBudgets/77');
    expect(parseBudgetResourceName(name)).toEqual({ customer: '1234567890', budget: '77' });
  });

  it.each([
    ['another resource', 'customers/1/campaigns/2'],
    ['snake case', 'customers/1/campaign_budgets/2'],
    ['dashes', 'customers/123-456-7890/campaignBudgets/2'],
    ['text after it', 'customers/1/campaignBudgets/2/3'],
    ['text before it', '/customers/1/campaignBudgets/2'],
    ['no id', 'customers/1/campaignBudgets/'],
    ['a line break', 'customers/1/campaignBudgets/2\n'],
    ['nothing', ''],
  ])('B3: refuses %s', (_, text) => {
    expect(parseBudgetResourceName(text)).toBeUndefined();
  });
});
