import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Expression } from '../../src/rules/expression.ts';
import { parseExpression } from '../../src/rules/parse-expression.ts';
import { place } from '../gaql/findings.ts';

/** The tree with every operation in parentheses. */
function shape(tree: Expression): string {
  switch (tree.kind) {
    case 'number':
      return `${tree.value.n}${tree.value.d === 1n ? '' : `/${tree.value.d}`}`;
    case 'text':
      return JSON.stringify(tree.value);
    case 'name':
      return tree.name;
    case 'negation':
      return `(- ${shape(tree.operand)})`;
    case 'not':
      return `(NOT ${shape(tree.operand)})`;
    default:
      return `(${shape(tree.left)} ${tree.sign} ${shape(tree.right)})`;
  }
}

function treeOf(source: string): Expression {
  const reading = parseExpression(source);
  if (reading.kind === 'refused') throw new Error(reading.diagnostics.map(({ message }) => message).join(' '));
  return reading.tree;
}

function placesOf(source: string): string[] {
  const reading = parseExpression(source);
  return reading.kind === 'refused' ? reading.diagnostics.map(place) : [];
}

describe('what binds tighter', () => {
  it.each([
    ['AND than OR', 'a > 1 OR b > 2 AND c > 3', '((a > 1) OR ((b > 2) AND (c > 3)))'],
    ['NOT than AND', 'NOT a > 1 AND b > 2', '((NOT (a > 1)) AND (b > 2))'],
    ['comparison than NOT', 'NOT a = 1', '(NOT (a = 1))'],
    ['sums than comparison', 'a + 1 > b - 2', '((a + 1) > (b - 2))'],
    ['products than sums', 'a + b * c > d / e - f', '((a + (b * c)) > ((d / e) - f))'],
    ['signs than products', '-a * -b > 0', '(((- a) * (- b)) > 0)'],
    ['the left of two sums', 'a - b - c > 0', '(((a - b) - c) > 0)'],
    ['the left of two quotients', 'a / b / c > 0', '(((a / b) / c) > 0)'],
    ['the left of two ANDs', 'a > 1 AND b > 1 AND c > 1', '(((a > 1) AND (b > 1)) AND (c > 1))'],
    [
      'parentheses than all',
      '(a > 1 OR b > 2) AND NOT (c + 1) * 2 > 3',
      '(((a > 1) OR (b > 2)) AND (NOT (((c + 1) * 2) > 3)))',
    ],
    ['a row of NOTs from the right', 'NOT NOT a > 1', '(NOT (NOT (a > 1)))'],
  ])('%s', (_, source, expected) => {
    expect(shape(treeOf(source))).toBe(expected);
  });
});

describe('many spellings', () => {
  it.each([
    ['no spaces', 'a>=1AND b<2', '((a >= 1) AND (b < 2))'],
    ['keywords in lower case', 'not a = 1 and b = 2 or c = 3', '(((NOT (a = 1)) AND (b = 2)) OR (c = 3))'],
    ['several lines', 'a > 1\n  AND\tb > 2', '((a > 1) AND (b > 2))'],
    ['parentheses that change nothing', '((a)) > ((1))', '(a > 1)'],
    ['a minus without spaces', 'a-5>0', '((a - 5) > 0)'],
    [
      'names that begin with keywords',
      'order_count > 1 AND android = 1 OR notes = 2',
      '(((order_count > 1) AND (android = 1)) OR (notes = 2))',
    ],
    ['text in either quotes', `a = 'x' OR a = "it's"`, '((a = "x") OR (a = "it\'s"))'],
    ['decimals, exactly', 'a > 2.50', '(a > 5/2)'],
  ])('%s', (_, source, expected) => {
    expect(shape(treeOf(source))).toBe(expected);
  });

  it("text has the query language's escapes", () => {
    expect(treeOf(String.raw`a = 'it\'s \\ \n'`)).toMatchObject({ right: { value: "it's \\ \n" } });
  });
});

describe('a part knows its place', () => {
  it('with its parentheses', () => {
    const source = 'a / (b + 1) > 2';
    const tree = treeOf(source);
    if (tree.kind !== 'comparison' || tree.left.kind !== 'arithmetic') throw new Error('another tree');
    const written = ({ span }: Expression) => source.slice(span.start.offset, span.end.offset);
    expect(written(tree)).toBe(source);
    expect(written(tree.left)).toBe('a / (b + 1)');
    expect(written(tree.left.right)).toBe('(b + 1)');
  });
});

describe('what is no condition', () => {
  it.each([
    ['nothing', '', ['UNEXPECTED_END_OF_QUERY 1:1-1:1']],
    ['a comparison without its right side', 'a >', ['UNEXPECTED_END_OF_QUERY 1:4-1:4']],
    ['AND without its right side', 'a > 1 AND', ['UNEXPECTED_END_OF_QUERY 1:10-1:10']],
    ['AND without its left side', 'AND a > 1', ['UNEXPECTED_INPUT 1:1-1:4']],
    ['two comparisons in a row', 'a > 1 > 0', ['UNEXPECTED_INPUT 1:7-1:8']],
    ['two names in a row', 'a > 1 b', ['UNEXPECTED_INPUT 1:7-1:8']],
    ['an open parenthesis', '(a > 1', ['UNEXPECTED_END_OF_QUERY 1:7-1:7']],
    ['a closing parenthesis too many', 'a > 1)', ['UNEXPECTED_INPUT 1:6-1:7']],
    ['empty parentheses', '() > 1', ['UNEXPECTED_INPUT 1:2-1:3']],
    ['== for =', 'a == 1', ['UNEXPECTED_INPUT 1:3-1:5']],
    ['<> for !=', 'a <> 1', ['UNEXPECTED_INPUT 1:3-1:5']],
    ['a list', 'a IN (1)', ['UNEXPECTED_INPUT 1:3-1:5']],
    ['a dotted name', 'metrics.clicks > 1', ['BAD_SYMBOL 1:8-1:9']],
    ['a percent sign', 'a > 5%', ['BAD_SYMBOL 1:6-1:7']],
    ['a comma in a number', 'a > 1,000', ['BAD_SYMBOL 1:6-1:7']],
    ['every symbol without meaning', 'a # 1 & b', ['BAD_SYMBOL 1:3-1:4', 'BAD_SYMBOL 1:7-1:8']],
    ['an exponent', 'a > 1e5', ['UNEXPECTED_INPUT 1:6-1:8']],
    ['text that is not closed', "a = 'PLA ", ['STRING_NOT_TERMINATED 1:5-1:10']],
    ['a number longer than any amount', `a > ${'1'.repeat(31)}`, ['BAD_NUMBER 1:5-1:36']],
    ['a fraction longer than that', `a > 0.${'3'.repeat(31)}`, ['BAD_NUMBER 1:5-1:38']],
    ['the second line', 'a > 1 AND\n  > 2', ['UNEXPECTED_INPUT 2:3-2:4']],
  ])('%s', (_, source, places) => {
    expect(placesOf(source)).toEqual(places);
  });

  it('is told with what was found and expected', () => {
    const messages = [
      'clicks ==',
      'clicks >',
      "campaign_name = 'PLA",
      `clicks > ${'9'.repeat(40)}`,
      'clicks > 5%',
    ].flatMap((source) => {
      const reading = parseExpression(source);
      return reading.kind === 'refused'
        ? reading.diagnostics.map(({ message, hint }) => (hint ? `${message} ${hint}` : message))
        : [];
    });
    expect(messages.join('\n')).toMatchInlineSnapshot(`
      "Found "==", expected a comparison such as clicks >= 30, joined with AND or OR.
      The condition ends too early, expected a comparison such as clicks >= 30, joined with AND or OR.
      The text that begins with "'PLA" has no closing '. After a space # begins a comment of the file: where the text holds one, quote the whole condition.
      Found "9999999999999999999999999999999999999999", expected a number of at most 30 digits.
      Found "%", which has no meaning in a condition. Text belongs in quotes."
    `);
  });
});

describe('conditions of any size and kind', () => {
  it.each([
    ['parentheses', `${'('.repeat(5_000)}a > 1${')'.repeat(5_000)}`],
    ['signs', `${'-'.repeat(5_000)}a > 1`],
    ['NOTs', `${'NOT '.repeat(5_000)}a > 1`],
    ['sums', `${'1 + '.repeat(100_000)}1 > a`],
    ['ANDs', `${'a > 1 AND '.repeat(30_000)}a > 1`],
  ])('too many %s are refused before the stack ends', (_, source) => {
    expect(placesOf(source)).toHaveLength(1);
  });

  it.each([
    ['200 parentheses', `${'('.repeat(200)}a > 1${')'.repeat(200)}`],
    ['a sum of 990 parts', `${'1 + '.repeat(990)}1 > a`],
  ])('%s are read', (_, source) => {
    expect(placesOf(source)).toEqual([]);
  });

  it('never throw', () => {
    const word = fc.constantFrom(
      ...[
        'a',
        '1',
        '2.5',
        "'x'",
        "'",
        '(',
        ')',
        '+',
        '-',
        '*',
        '/',
        '=',
        '!=',
        '<',
        '>=',
        '==',
        'AND',
        'OR',
        'NOT',
        '#',
      ],
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(word, { maxLength: 25 }).map((words) => words.join(' ')),
    );
    fc.assert(
      fc.property(text, (source) => {
        const reading = parseExpression(source);
        if (reading.kind === 'ok') expect(shape(treeOf(source))).toBe(shape(reading.tree));
        else expect(reading.diagnostics.length).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
  });
});
