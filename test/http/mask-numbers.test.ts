import { expect, it } from 'vitest';
import { maskBareNumbers, maskNumbers } from '../../src/services/http/mask-numbers.ts';

it.each([
  ['with its channel', 'whatsapp:+4915112345678', 'whatsapp:+49…78'],
  ['without a channel', 'to +4915112345678.', 'to +49…78.'],
  ['without a plus', '"4915112345678"', '"49…78"'],
  ['with two zeros', '004915112345678', '49…78'],
  ['URL-encoded', 'To=whatsapp%3A%2B4915112345678&', 'To=whatsapp%3A%2B49…78&'],
  ['JSON-escaped', 'whatsapp:\\u002b4915112345678', 'whatsapp:\\u002b49…78'],
  ['as people write it', '+49 (151) 123-45678', '+49…78'],
  ['of another person, spaced', 'from +1 (555) 010-0002.', 'from +15…02.'],
  ['of another person', 'from +15550100002 and %2b442071838750', 'from +15…02 and %2b44…50'],
])('a number is masked: %s', (_, text, expected) => {
  expect(maskNumbers(text, ['whatsapp:+4915112345678'])).toBe(expected);
});

it.each([
  ['of a date', 'Fri, 20 Nov 2026 12:00:00 +0000'],
  ['of an amount', '+120,000 €, 4915112345'],
  ['within a longer one', '149151123456789'],
])('a number stays: %s', (_, text) => {
  expect(maskNumbers(text, ['whatsapp:+4915112345678', ''])).toBe(text);
});

it.each([
  ['a bare run that may be a number is masked', 'to 4915112345679, "15550100002"', 'to 49…79, "15…02"'],
  ['an error code stays', '(#131030) 2018001', '(#131030) 2018001'],
  ['a longer run of digits stays', '1234567890123456', '1234567890123456'],
  ['digits in a word stay', 'wamid.HBg4915112345679 _4915112345679', 'wamid.HBg4915112345679 _4915112345679'],
  ['known ids stay', 'id 106540352242922', 'id 106540352242922'],
])('%s', (_, text, expected) => {
  expect(maskBareNumbers(text, [], (digits) => digits === '106540352242922')).toBe(expected);
});
