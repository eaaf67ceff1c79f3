import { expect, it } from 'vitest';
import { maskYaml } from '../../src/yaml/mask-yaml.ts';
import type { Quoting } from '../../src/yaml/parsing.ts';

const NOTHING: Quoting = {
  key: () => false,
  shape: () => false,
  value: () => false,
  hint: () => undefined,
  words: new Set(),
};
const ALL: Quoting = { ...NOTHING, key: () => true, shape: () => true, value: () => true, words: new Set(['a', 'b']) };

it.each([
  ['a: { b: [c, "d"] } # e', '•• • •• ••• •••• • • •'],
  ['a:\r\n\t- : [', '••\r\n\t• • •'],
])('where nothing may be shown, blanks and line ends are left: %s', (source, masked) => {
  expect(maskYaml(source, NOTHING)).toBe(masked);
});

it.each([
  ['what is written plainly', "a: { b: [c, 'd'], e: f }\ng:\n  - h", "a: { b: [c, 'd'], e: f }\ng:\n  - h"],
  ['no comment, anchor or tag', 'a: &b c # d\ne: !f g', 'a: •• c • •\ne: •• g'],
  ['no text of several lines', 'a: |\n  b\nc: "d\n  e"', 'a: •\n  •\nc: ••\n  ••'],
  ['no alias', 'a: &b c\nd: *b', 'a: •• c\nd: ••'],
  ['no escape', '"a\\x62": "\\x63"', '•••••••• ••••••'],
  ['of a damaged text the words that are known', 'a: b\n- c: d\n  b: [e', 'a: •\n• •• •\n  b: ••'],
  ['and those behind a bracket or a comma', '{ a: c, b: d, e: f', '{ a: •, b: •• •• •'],
])('where all may be shown, it is %s', (_, source, masked) => {
  expect(maskYaml(source, ALL)).toBe(masked);
});

it('a text too long to be read is taken for a damaged one', () => {
  const source = `a: c\nb: ${'x'.repeat(1024 * 1024)}`;
  expect(maskYaml(source, ALL)).toBe(`a: •\nb: ${'•'.repeat(1024 * 1024)}`);
});
