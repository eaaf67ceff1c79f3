import { describe, expect, it } from 'vitest';
import { checkExpression, type NameType } from '../../src/rules/check-expression.ts';
import { parseExpression } from '../../src/rules/parse-expression.ts';
import { place } from '../gaql/findings.ts';

const NAMES = new Map<string, NameType>([
  ['clicks', 'number'],
  ['impressions', 'number'],
  ['cost_micros', 'number'],
  ['cost', 'money'],
  ['budget', 'money'],
  ['campaign_name', 'text'],
]);

function check(source: string) {
  const reading = parseExpression(source);
  if (reading.kind === 'refused') throw new Error(reading.diagnostics.map(({ message }) => message).join(' '));
  return checkExpression(reading.tree, NAMES);
}

describe('amounts and plain numbers', () => {
  it.each([
    ['a count with a number', 'clicks >= 30', false],
    ['an amount with a number, which is an amount then', 'cost > 2.50', true],
    ['a cost per click with a number', 'cost / clicks > 2.50', true],
    ['clicks per euro with a number', 'clicks / cost > 2', true],
    ['an amount with an amount', 'cost >= budget', false],
    ['a share of amounts with a number', 'cost / budget > 0.9', false],
    ['a multiple of an amount with an amount', 'cost >= 0.9 * 7 * budget', false],
    ['zero, which is the same in every currency', 'cost > 0', false],
    ['zero as a sum of zeros', 'cost > 0 + 0', false],
    ['an amount plus a number', 'cost + 5 > budget', true],
    ['micros with a number', 'cost_micros > 5000000', false],
    ['numbers with numbers', '1 + 1 = 2', false],
    ['a square of amounts', 'cost * cost > budget * budget', false],
    ['an amount in one part of many', 'clicks > 30 OR NOT (impressions < 5 AND budget > 10)', true],
    ['a negative amount', 'budget - cost > -5', true],
    ['text with text', "campaign_name != 'x'", false],
  ])('%s fit, and it is known whether an amount is named', (_, source, namesMoney) => {
    expect(check(source)).toEqual({ diagnostics: [], namesMoney });
  });

  it.each([
    ['an amount beside a count', 'cost > clicks', 'OPERATOR_FIELD_MISMATCH 1:1-1:14'],
    ['a sum of both', 'cost + clicks > 5', 'OPERATOR_FIELD_MISMATCH 1:1-1:14'],
    ['an amount beside micros', 'cost > cost_micros', 'OPERATOR_FIELD_MISMATCH 1:1-1:19'],
    ['an amount beside a share', 'cost > cost / budget', 'OPERATOR_FIELD_MISMATCH 1:1-1:21'],
    ['an amount beside its square', 'cost * cost > budget', 'OPERATOR_FIELD_MISMATCH 1:1-1:21'],
    ['text beside a number', 'campaign_name = 5', 'OPERATOR_FIELD_MISMATCH 1:1-1:18'],
    ['an order of text', "campaign_name > 'x'", 'OPERATOR_FIELD_MISMATCH 1:1-1:20'],
    ['text in a sum', "clicks + campaign_name > 'x'", 'OPERATOR_FIELD_MISMATCH 1:10-1:23'],
    ['a sign before text', "-campaign_name = 'x'", 'OPERATOR_FIELD_MISMATCH 1:2-1:15'],
    ['a number for a condition', 'clicks', 'OPERATOR_FIELD_MISMATCH 1:1-1:7'],
    ['text for a condition', "campaign_name = 'x' AND campaign_name", 'OPERATOR_FIELD_MISMATCH 1:25-1:38'],
    ['NOT of a number', 'NOT (clicks + 1)', 'OPERATOR_FIELD_MISMATCH 1:5-1:17'],
    ['a condition for a number', '(clicks > 3) + 1 > 2', 'OPERATOR_FIELD_MISMATCH 1:1-1:13'],
    ['a condition beside a condition', '(clicks > 3) = (clicks > 4)', 'OPERATOR_FIELD_MISMATCH 1:1-1:28'],
    ['an unknown name', 'clickz > 3', 'UNRECOGNIZED_FIELD 1:1-1:7'],
    ['a name in capitals', 'Clicks > 3', 'UNRECOGNIZED_FIELD 1:1-1:7'],
    ['a name of every object', 'constructor > 3', 'UNRECOGNIZED_FIELD 1:1-1:12'],
  ])('%s is refused once', (_, source, expected) => {
    expect(check(source).diagnostics.map(place)).toEqual([expected]);
  });

  it('every mistake is told, and none twice', () => {
    const source = 'clickz > 3 AND (costs / clickz > 2 OR cost > clicks) AND campaign_name';
    expect(check(source).diagnostics.map(place)).toEqual([
      'UNRECOGNIZED_FIELD 1:1-1:7',
      'UNRECOGNIZED_FIELD 1:17-1:22',
      'UNRECOGNIZED_FIELD 1:25-1:31',
      'OPERATOR_FIELD_MISMATCH 1:39-1:52',
      'OPERATOR_FIELD_MISMATCH 1:58-1:71',
    ]);
  });

  it('says what it found and what may be meant', () => {
    const sources = ['clickz > 3', 'zzzzzz > 3', 'cost > clicks', 'campaign_name = 5', "campaign_name > 'x'", 'clicks'];
    const messages = sources
      .flatMap((source) => check(source).diagnostics)
      .map(({ message, hint }) => (hint ? `${message} ${hint}` : message));
    expect(messages.join('\n')).toMatchInlineSnapshot(`
      "There is no column "clickz". Did you mean clicks?
      There is no column "zzzzzz". Names are clicks, impressions, cost_micros, cost, budget, campaign_name.
      An amount of money is set beside a plain number. cost and budget are amounts; *_micros columns, clicks and impressions are plain numbers.
      Found text beside a number, expected two of a kind.
      Text is compared with >, expected = or !=.
      Found a number, expected a comparison such as clicks >= 30."
    `);
  });
});
