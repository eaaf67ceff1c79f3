import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTemplate } from '../../../src/language/rules/check/read-template.ts';
import { parseChange, parseCondition } from '../../../src/language/rules/language/parse-expression.ts';
import { byEffort } from '../../support/effort.ts';
import { checkText, ruleText } from '../rule-fixtures.ts';
import { shape } from '../shape.ts';

describe('conditions of any size and kind', () => {
  it.each([
    ['parentheses', `${'('.repeat(5_000)}a > 1${')'.repeat(5_000)}`],
    ['calls', `${'f('.repeat(5_000)}a${')'.repeat(5_000)} > 1`],
    ['signs', `${'-'.repeat(1_500)}a > 1`],
    ['NOTs', `${'NOT '.repeat(1_500)}a > 1`],
    ['sums', `${'1 + '.repeat(3_000)}1 > a`],
    ['ANDs', `${'a > 1 AND '.repeat(1_500)}a > 1`],
    ['words of a list', `a IN (${'1, '.repeat(3_000)}1)`],
    ['words', 'a '.repeat(100_000)],
    ['characters', `a = '${'x'.repeat(1_000_000)}'`],
  ])('refuses too many %s before a stack overflow', (_, source) => {
    const reading = parseCondition(source);
    expect(reading.kind === 'refused' && reading.diagnostics.map(({ code }) => code)).toEqual(['UNEXPECTED_INPUT']);
  });

  it.each([
    ['50 parentheses, each with five signs', `${'-----('.repeat(50)}a${')'.repeat(50)} > 1`],
    ['many parentheses beside each other', `${'coalesce(a, 1) + '.repeat(200)}1 > a`],
    ['a sum of 990 parts', `${'1 + '.repeat(990)}1 > a`],
    ['490 comparisons', `${'a > 1 AND '.repeat(490)}a > 1`],
  ])('reads %s', (_, source) => {
    expect(parseCondition(source).kind).toBe('ok');
  });

  it('limits the findings for many wrong signs', () => {
    const reading = parseCondition('a & '.repeat(4_000));
    expect(reading.kind === 'refused' && reading.diagnostics.length).toBe(10);
  });
});

const words = [
  ...'a clicks cost budget ctr campaign_name mean deviation coalesce AND OR NOT IN BETWEEN LIKE IS NULL'.split(' '),
  ...'over previous days month to date on yesterday same weekday weeks increase set by'.split(' '),
  ...`1 2.5 20 7 % 'x' ' ( ) , + - * / = != < >= == # { } {{`.split(' '),
];
const word = fc.constantFrom(...words);
const text = fc.oneof(
  fc.string(),
  fc.array(word, { maxLength: 25 }).map((words) => words.join(' ')),
);

describe('no text makes a check throw', () => {
  it('checks conditions; a valid one reads the same again', () => {
    fc.assert(
      fc.property(text, (source) => {
        const reading = parseCondition(source);
        if (reading.kind === 'refused') expect(reading.diagnostics.length).toBeGreaterThan(0);
        else expect(shape(reading.tree)).not.toBe('');
      }),
      { numRuns: byEffort({ quick: 300, thorough: 1_000 }) },
    );
  });

  it('checks changes and templates', () => {
    fc.assert(
      fc.property(text, (source) => {
        parseChange(source);
        readTemplate(source, undefined);
      }),
      { numRuns: byEffort({ quick: 200, thorough: 500 }) },
    );
  });

  it('checks rule files; every place is within the file', () => {
    fc.assert(
      fc.property(text, text, text, (when, change, alert) => {
        const quoted = JSON.stringify;
        const source = ruleText({ when: quoted(when), change: quoted(change), alert: `{ text: ${quoted(alert)} }` });
        for (const { span } of checkText(source).diagnostics) {
          expect(span.start.offset).toBeGreaterThanOrEqual(0);
          expect(span.end.offset).toBeLessThanOrEqual(source.length);
        }
      }),
      { numRuns: byEffort({ quick: 150, thorough: 300 }) },
    );
  });
});
