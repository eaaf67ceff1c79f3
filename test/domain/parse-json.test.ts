import { expect, it } from 'vitest';
import { parseJson } from '../../src/domain/parse-json.ts';

it.each([
  ['an object', '{"a":1}', { a: 1 }],
  ['null, which is a value', 'null', null],
  ['a page of HTML', '<!DOCTYPE html>', undefined],
  ['half an object', '{"a":', undefined],
  ['nothing', '', undefined],
])('B12: reads %s without a crash', (_, text, value) => {
  expect(parseJson(text)).toEqual(value);
});
