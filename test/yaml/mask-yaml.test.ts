import { expect, it } from 'vitest';
import { maskYaml } from '../../src/language/yaml/mask-yaml.ts';
import type { Quoting } from '../../src/language/yaml/parsing.ts';

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
])('shows only blanks and line ends if nothing may be shown: %s', (source, masked) => {
  expect(maskYaml(source, NOTHING)).toBe(masked);
});

it.each([
  ['plain text', "a: { b: [c, 'd'], e: f }\ng:\n  - h", "a: { b: [c, 'd'], e: f }\ng:\n  - h"],
  ['no comment, anchor or tag', 'a: &b c # d\ne: !f g', 'a: •• c • •\ne: •• g'],
  ['no text of several lines', 'a: |\n  b\nc: "d\n  e"', 'a: •\n  •\nc: ••\n  ••'],
  ['no alias', 'a: &b c\nd: *b', 'a: •• c\nd: ••'],
  ['no escape', '"a\\x62": "\\x63"', '•••••••• ••••••'],
  ['the known words of a damaged text', 'a: b\n- c: d\n  b: [e', 'a: •\n• •• •\n  b: ••'],
  ['known words after a bracket or a comma', '{ a: c, b: d, e: f', '{ a: •, b: •• •• •'],
])('shows %s if everything may be shown', (_, source, masked) => {
  expect(maskYaml(source, ALL)).toBe(masked);
});

it('treats a too long text as damaged', () => {
  const source = `a: c\nb: ${'x'.repeat(1024 * 1024)}`;
  expect(maskYaml(source, ALL)).toBe(`a: •\nb: ${'•'.repeat(1024 * 1024)}`);
});
