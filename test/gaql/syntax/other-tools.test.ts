import { describe, expect, it } from 'vitest';
import { printed, S, syntaxOf, W } from './readings.ts';

describe('mistakes that other tools accept', () => {
  it.each([
    [
      'an operator that does not exist, and AND twice',
      `${W} LIKEE 5 AND AND`,
      ['BAD_OPERATOR 1:52-1:57', 'BAD_FIELD_NAME 1:64-1:67'],
    ],
    ['an empty list', `${W} IN ()`, ['PROHIBITED_EMPTY_LIST_IN_CONDITION 1:55-1:57']],
    [
      'a missing comma, not an expression',
      'SELECT campaign.id campaign.name FROM campaign',
      ['UNEXPECTED_INPUT 1:20-1:33'],
    ],
  ])('is refused: %s', (_, source, places) => {
    expect(syntaxOf(source)).toEqual(places);
  });
});

describe('valid texts that other tools refuse or cut', () => {
  it.each([
    ['FROM in a text', "' FROM '"],
    ['LIMIT in a text', "' LIMIT 5 '"],
    ['a semicolon in a text', "';'"],
    ['a template in a text', "'{x}'"],
    ['a hash in a text', "'PLA #1 - brand'"],
    ['two slashes in a text', "'https://x'"],
  ])('sends %s unchanged', (_, literal) => {
    expect(printed(`${W} = ${literal} LIMIT 5`)).toBe(`${W} = ${literal} LIMIT 5`);
    expect(printed(`${S} WHERE campaign.name NOT IN (${literal}) -- so`)).toBe(
      `${S} WHERE campaign.name NOT IN (${literal})`,
    );
  });
});
