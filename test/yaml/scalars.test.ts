import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  amount,
  currencyCode,
  customerIdText,
  digits,
  hoursOfDay,
  nonEmptyText,
  oneOrMany,
  timeOfDay,
  timeOfDayOrNever,
  timeZone,
  wholeNumber,
  yesOrNo,
} from '../../src/language/yaml/scalars.ts';

const port = wholeNumber(0, 65_535);

/** What a scalar's text is read as, or what was expected in its place. */
function read(schema: z.ZodType, text: unknown): unknown {
  const reading = schema.safeParse(text);
  return reading.success
    ? reading.data
    : `expected ${reading.error.issues.map(({ message }) => message).join(' and ')}`;
}

describe('scalars are read from their written text', () => {
  it.each<[string, z.ZodType, string, unknown]>([
    ['text', nonEmptyText, ' a b ', 'a b'],
    ['a whole number', port, '08', 8],
    ['the largest', port, '65535', 65_535],
    ['a negative number if allowed', wholeNumber(-5, 5), '-5', -5],
    ['yes', yesOrNo, 'Yes', true],
    ['true', yesOrNo, 'TRUE', true],
    ['no', yesOrNo, 'no', false],
    ['false', yesOrNo, 'false', false],
    ['an amount, exactly', amount, '0.1', 100_000n],
    ['the largest amount', amount, '9223372036854.77', 9_223_372_036_854_770_000n],
    ['a currency', currencyCode, 'JPY', 'JPY'],
    ['a time zone', timeZone, 'Asia/Kathmandu', 'Asia/Kathmandu'],
    ['a time of day', timeOfDay, '23:59', '23:59'],
    ['a time of day with one digit', timeOfDay, '3:00', '03:00'],
    ['a time of day or never', timeOfDayOrNever, '7:30', '07:30'],
    ['never', timeOfDayOrNever, ' never ', 'never'],
    ['hours of the day', hoursOfDay, '9:00-17:30', { from: '09:00', to: '17:30' }],
    ['hours over midnight, with spaces', hoursOfDay, ' 22:00 - 07:00 ', { from: '22:00', to: '07:00' }],
    ['B8: a customer id without its dashes', customerIdText, '123-456-7890', '1234567890'],
    ['an id beyond what a float holds', digits, '9007199254740993', '9007199254740993'],
    ['one for a list', oneOrMany(digits), '5', ['5']],
    ['a list', oneOrMany(digits), ['5', '6'] as unknown as string, ['5', '6']],
  ])('%s', (_, schema, text, value) => {
    expect(read(schema, text)).toEqual(value);
  });

  it.each<[string, z.ZodType, unknown, string]>([
    ['blank text', nonEmptyText, '  ', 'text that is not empty'],
    ['no text', nonEmptyText, ['a'], 'text that is not empty'],
    ['a number too large', port, '65536', 'a whole number from 0 to 65535'],
    ['a number too small', port, '-1', 'a whole number from 0 to 65535'],
    ['decimals', port, '1.0', 'a whole number from 0 to 65535'],
    ['an exponent', port, '1e3', 'a whole number from 0 to 65535'],
    ['a hexadecimal number', port, '0x10', 'a whole number from 0 to 65535'],
    ['a word instead of a number', port, '', 'a whole number from 0 to 65535'],
    ['neither yes nor no', yesOrNo, 'on', 'true or false'],
    ['another word than never', timeOfDayOrNever, 'Never', 'a time of day such as 08:00, or never'],
    ['an invalid time of day', timeOfDayOrNever, '24:00', 'a time of day such as 08:00, or never'],
    ['one time for two', hoursOfDay, '22:00', 'two times of day such as 22:00-07:00'],
    ['three times for two', hoursOfDay, '1:00-2:00-3:00', 'two times of day such as 22:00-07:00'],
    ['hours without length', hoursOfDay, '7:00-07:00', 'two times of day such as 22:00-07:00'],
    ['hours that do not exist', hoursOfDay, '22:00-24:00', 'two times of day such as 22:00-07:00'],
    ['an amount of zero', amount, '0.00', 'an amount from 0.000001 to 9223372036854.775807, such as 12.50'],
    ['a negative amount', amount, '-1', 'an amount from 0.000001 to 9223372036854.775807, such as 12.50'],
    ['seven decimals', amount, '0.0000001', 'an amount from 0.000001 to 9223372036854.775807, such as 12.50'],
    [
      'an amount beyond int64',
      amount,
      '9223372036854.775808',
      'an amount from 0.000001 to 9223372036854.775807, such as 12.50',
    ],
    ['an amount with a comma', amount, '1,50', 'an amount from 0.000001 to 9223372036854.775807, such as 12.50'],
    ['a currency in lower case', currencyCode, 'eur', 'a currency code such as EUR'],
    ['a currency that does not exist', currencyCode, 'EUT', 'a currency code such as EUR'],
    ['a time zone that does not exist', timeZone, 'Mars/Olympus', 'a time zone such as Europe/Berlin'],
    ['an hour too many', timeOfDay, '24:00', 'a time of day such as 03:00'],
    ['an hour without minutes', timeOfDay, '3', 'a time of day such as 03:00'],
    ['minutes without an hour', timeOfDay, ':30', 'a time of day such as 03:00'],
    ['B8: parentheses', customerIdText, '(123) 456-7890', 'a customer id: digits, dashes allowed, no parentheses'],
    ['an id with letters', digits, '5a', 'an id of digits only'],
    ['an id with a leading zero', digits, '05', 'an id of digits only'],
  ])('%s is refused', (_, schema, text, expected) => {
    expect(read(schema, text)).toBe(`expected ${expected}`);
  });
});
