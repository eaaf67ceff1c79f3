import { describe, expect, it } from 'vitest';
import type { Expression } from '../../../src/language/rules/language/expression.ts';
import { parseCondition, parseValue } from '../../../src/language/rules/language/parse-expression.ts';
import { place } from '../../gaql/findings.ts';
import { shape } from '../shape.ts';

function treeOf(source: string): Expression {
  const reading = parseCondition(source);
  if (reading.kind === 'refused') throw new Error(reading.diagnostics.map(({ message }) => message).join(' '));
  return reading.tree;
}

const findingsOf = (source: string, parse: typeof parseCondition = parseCondition) => {
  const reading = parse(source);
  return reading.kind === 'refused' ? reading.diagnostics : [];
};
const placesOf = (source: string) => findingsOf(source).map(place);

describe('operator precedence', () => {
  it.each([
    ['AND than OR', 'a > 1 OR b > 2 AND c > 3', '((a > 1) OR ((b > 2) AND (c > 3)))'],
    ['NOT than AND', 'NOT a > 1 AND b > 2', '((NOT (a > 1)) AND (b > 2))'],
    ['comparison than NOT', 'NOT a = 1', '(NOT (a = 1))'],
    ['BETWEEN than NOT', 'NOT a BETWEEN 1 AND 2', '(NOT (a BETWEEN 1 AND 2))'],
    ["BETWEEN's AND than any other", 'a BETWEEN 1 AND 2 AND b > 3', '((a BETWEEN 1 AND 2) AND (b > 3))'],
    ['sums than comparison', 'a + 1 > b - 2', '((a + 1) > (b - 2))'],
    ['sums than BETWEEN', 'a + 1 BETWEEN b - 2 AND b + 2', '((a + 1) BETWEEN (b - 2) AND (b + 2))'],
    ['products than sums', 'a + b * c > d / e - f', '((a + (b * c)) > ((d / e) - f))'],
    ['signs than products', '-a * -b > 0', '(((- a) * (- b)) > 0)'],
    ['windows than signs', '-a over 7 days > 0', '((- [a over 7 days]) > 0)'],
    ['windows than products', 'a / b over 7 days > 0', '((a / [b over 7 days]) > 0)'],
    ['parentheses than windows', '(a / b) over 7 days > 0', '([(a / b) over 7 days] > 0)'],
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

describe('many spellings of one tree', () => {
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
    [
      'names that begin with other words',
      'overlap > 1 AND on_time = 1 AND days_left = 2 AND inn = 3 AND is_new = 1',
      '(((((overlap > 1) AND (on_time = 1)) AND (days_left = 2)) AND (inn = 3)) AND (is_new = 1))',
    ],
    ['text in either quotes', `a = 'x' OR a = "it's"`, '((a = "x") OR (a = "it\'s"))'],
    ['decimals, exactly', 'a > 2.50', '(a > 5/2)'],
    ['a percentage is its share', 'a > 20%', '(a > 1/5)'],
    ['a percentage with decimals and a blank', 'a > 12.5 %', '(a > 1/8)'],
    ['a list', 'a IN (1, -2, b + 1)', '(a IN 1, (- 2), (b + 1))'],
    ['no list', "a not in ('x','y')", '(a NOT IN "x", "y")'],
    ['a pattern', "a LIKE 'Brand%' AND b not like '_x'", '((a LIKE "Brand%") AND (b NOT LIKE "_x"))'],
    ['an unknown value', 'a IS NULL OR b / c is not null', '((a IS NULL) OR ((b / c) IS NOT NULL))'],
    ['not between', 'a NOT BETWEEN 1 AND 2', '(a NOT BETWEEN 1 AND 2)'],
    ['calls', 'coalesce(a, b + 1, 0) > Mean(c)', '(coalesce(a, (b + 1), 0) > Mean(c))'],
    ['a call without values', 'now() > 1', '(now() > 1)'],
    ['a condition in parentheses', '((a > 1))', '(a > 1)'],
  ])('%s', (_, source, expected) => {
    expect(shape(treeOf(source))).toBe(expected);
  });

  it.each([
    ['days', 'a OVER 7 Days > 1', '([a over 7 days] > 1)'],
    ['one day', 'a over 1 day > 1', '([a over 1 day] > 1)'],
    ['weeks', 'a over 26 weeks > 1', '([a over 26 weeks] > 1)'],
    ['the days before', 'a over previous 14 days > 1', '([a over previous 14 days] > 1)'],
    ['the month', 'a over month to date > 1', '([a over month to date] > 1)'],
    ['yesterday', 'a on yesterday > 1', '([a on yesterday] > 1)'],
    ['today', 'a ON Today > 1', '([a on today] > 1)'],
    ['columns of those names', 'today > yesterday', '(today > yesterday)'],
    ['weekdays', 'a same weekday over 4 weeks > 1', '([a same weekday over 4 weeks] > 1)'],
    ['one weekday', 'a same weekday over 1 week > 1', '([a same weekday over 1 week] > 1)'],
    ['after a call', 'mean(a) same weekday over 4 weeks > 1', '([mean(a) same weekday over 4 weeks] > 1)'],
    ['within a call', 'mean(a same weekday over 4 weeks) > 1', '(mean([a same weekday over 4 weeks]) > 1)'],
    ['hours of today', 'a on today Until NOW > 1', '([a on today until now] > 1)'],
    [
      'the same hours of other days',
      'mean(a) same weekday over 4 weeks until now > (a / b) over previous 7 days until now',
      '([mean(a) same weekday over 4 weeks until now] > [(a / b) over previous 7 days until now])',
    ],
    ['before every operator', 'a over 7 days * 2 IN (b on yesterday)', '(([a over 7 days] * 2) IN [b on yesterday])'],
    [
      'before BETWEEN and its AND',
      'a on yesterday BETWEEN b over 7 days AND c',
      '([a on yesterday] BETWEEN [b over 7 days] AND c)',
    ],
    [
      'before NOT LIKE and IS',
      "a on yesterday NOT LIKE 'x' OR a on yesterday IS NULL",
      '(([a on yesterday] NOT LIKE "x") OR ([a on yesterday] IS NULL))',
    ],
  ])('a window: %s', (_, source, expected) => {
    expect(shape(treeOf(source))).toBe(expected);
  });

  it.each('over on same previous month to date yesterday until now weekday days weeks set by increase'.split(' '))(
    'the word %s can name a column',
    (word) => {
      expect(shape(treeOf(`${word} > 1 AND 2 * ${word} over 7 days = (${word})`))).toBe(
        `((${word} > 1) AND ((2 * [${word} over 7 days]) = ${word}))`,
      );
    },
  );

  it("text has the query language's escapes", () => {
    expect(treeOf(String.raw`a = 'it\'s \\ \n'`)).toMatchObject({ right: { value: "it's \\ \n" } });
  });
});

describe('a part knows its position', () => {
  const source = "a / (b + 1) over 7 days > 20% AND c NOT IN (1, 2) AND\n  f(d, 1) IS NOT NULL AND e LIKE 'x'";
  const written = ({ span }: Expression) => source.slice(span.start.offset, span.end.offset);
  const parts = (tree: Expression): Expression[] => [
    tree,
    ...Object.values(tree)
      .flat()
      .flatMap((part) =>
        typeof part === 'object' && part !== null && 'kind' in part && 'span' in part ? parts(part) : [],
      ),
  ];

  it('with its parentheses, window, percent sign and list', () => {
    expect(parts(treeOf(source)).map(written)).toEqual(
      expect.arrayContaining([
        source,
        'a / (b + 1) over 7 days > 20%',
        '(b + 1) over 7 days',
        '(b + 1)',
        '20%',
        'c NOT IN (1, 2)',
        'f(d, 1) IS NOT NULL',
        'f(d, 1)',
        "e LIKE 'x'",
      ]),
    );
  });

  it('on its line', () => {
    const last = parts(treeOf(source)).find((part) => part.kind === 'like');
    expect(last?.span).toMatchObject({ start: { line: 2, column: 27 }, end: { line: 2, column: 37 } });
  });
});

describe('an invalid condition', () => {
  it.each([
    ['nothing', '', ['UNEXPECTED_END_OF_QUERY 1:1-1:1']],
    ['blanks', '  \n ', ['UNEXPECTED_END_OF_QUERY 2:2-2:2']],
    ['a comparison without its right side', 'a >', ['UNEXPECTED_END_OF_QUERY 1:4-1:4']],
    ['AND without its right side', 'a > 1 AND', ['UNEXPECTED_END_OF_QUERY 1:10-1:10']],
    ['AND without its left side', 'AND a > 1', ['UNEXPECTED_INPUT 1:1-1:4']],
    ['two comparisons in a row', 'a > 1 > 0', ['UNEXPECTED_INPUT 1:7-1:8']],
    ['two names in a row', 'a > 1 b', ['UNEXPECTED_INPUT 1:7-1:8']],
    ['an open parenthesis', '(a > 1', ['UNEXPECTED_END_OF_QUERY 1:7-1:7']],
    ['a closing parenthesis too many', 'a > 1)', ['UNEXPECTED_INPUT 1:6-1:7']],
    ['empty parentheses', '() > 1', ['UNEXPECTED_INPUT 1:2-1:3']],
    ['== for =', 'a == 1', ['UNEXPECTED_INPUT 1:3-1:5']],
    ['&& for AND', 'a = 1 && b = 2', ['UNEXPECTED_INPUT 1:7-1:9']],
    ['! for NOT', '!(a = 1)', ['UNEXPECTED_INPUT 1:1-1:2']],
    ['an empty list', 'a IN ()', ['UNEXPECTED_INPUT 1:7-1:8']],
    ['a list without parentheses', 'a IN 1', ['UNEXPECTED_INPUT 1:6-1:7']],
    ['BETWEEN with one value', 'a BETWEEN 1', ['UNEXPECTED_END_OF_QUERY 1:12-1:12']],
    ['LIKE of a name', 'a LIKE b', ['UNEXPECTED_INPUT 1:8-1:9']],
    ['NOT without an operator', 'a NOT > 1', ['UNEXPECTED_INPUT 1:7-1:8']],
    ['= NULL', 'a = NULL', ['UNEXPECTED_INPUT 1:5-1:9']],
    ['a dotted name', 'metrics.clicks > 1', ['BAD_SYMBOL 1:8-1:9']],
    ['a percent sign of its own', 'a > %', ['UNEXPECTED_INPUT 1:5-1:6']],
    ['a percent sign after a name', 'a% > 5', ['UNEXPECTED_INPUT 1:2-1:3']],
    ['a comma in a number', 'a > 1,000', ['UNEXPECTED_INPUT 1:6-1:7']],
    ['every symbol without meaning', 'a # 1 & b', ['BAD_SYMBOL 1:3-1:4', 'BAD_SYMBOL 1:7-1:8']],
    ['a currency sign', 'a > €5', ['BAD_SYMBOL 1:5-1:6']],
    ['an exponent', 'a > 1e5', ['UNEXPECTED_INPUT 1:6-1:8']],
    ['a number that begins with a point', 'a > .5', ['BAD_SYMBOL 1:5-1:6']],
    ['text that is not closed', "a = 'PLA ", ['STRING_NOT_TERMINATED 1:5-1:10']],
    ['a number longer than any amount', `a > ${'1'.repeat(31)}`, ['BAD_NUMBER 1:5-1:36']],
    ['a fraction longer than that', `a > 0.${'3'.repeat(31)}`, ['BAD_NUMBER 1:5-1:38']],
    ['the second line', 'a > 1 AND\n  > 2', ['UNEXPECTED_INPUT 2:3-2:4']],
    ['a window without days', 'a over > 1', ['UNEXPECTED_INPUT 1:8-1:9']],
    ['a window of a word', 'a over seven days > 1', ['UNEXPECTED_INPUT 1:8-1:13']],
    ['a window of months', 'a over 2 months > 1', ['UNEXPECTED_INPUT 1:10-1:16']],
    ['two windows', 'a over 7 days over 14 days > 1', ['UNEXPECTED_INPUT 1:15-1:19']],
    ['a window before its value', 'over 7 days a > 1', ['UNEXPECTED_INPUT 1:6-1:7']],
    ['NUL', 'a > \u0000 1', ['BAD_SYMBOL 1:5-1:6']],
    ['letters of another script', 'аd_clicks > 1', ['BAD_SYMBOL 1:1-1:2']],
    ['letters beyond the first plane', 'a > 𝟙', ['BAD_SYMBOL 1:5-1:7']],
  ])('%s', (_, source, places) => {
    expect(placesOf(source)).toEqual(places);
  });

  it.each([
    ['each side of AND', 'a == 1 AND b <> 2 OR c > 3', ['1:3-1:5', '1:14-1:16']],
    ['many', 'a b AND c d AND e f', ['1:3-1:4', '1:11-1:12', '1:19-1:20']],
    ['not behind a parenthesis that is still open', '(a == 1 AND b <> 2)', ['1:4-1:6']],
    ['and an end that comes too early', 'a == 1 AND b >', ['1:3-1:5', '1:15-1:15']],
  ])('reports all findings for %s', (_, source, places) => {
    expect(placesOf(source).map((found) => found.replace(/^\w+ /, ''))).toEqual(places);
  });

  it('reports what was found, what was expected and the next step', () => {
    const sources = [
      'clicks ==',
      'clicks >',
      "campaign_name = 'PLA",
      `clicks > ${'9'.repeat(40)}`,
      'clicks > 1,000',
      'cost > $5',
      'clicks over 2 months > 1',
      'clicks on monday > 1',
      'clicks over 7 days on yesterday > 1',
      'clicks = NULL',
      'metrics.clicks > 1',
      'clicks BETWEEN 1, 2',
      'clicks IN 5',
      'name LIKE 5',
      'clicks IS 5',
      'clicks NOT 5',
      '(clicks > 5 5',
      'coalesce(clicks 0) > 1',
      "name = 'it''s'",
      'name = “x”',
      'clicks > 1 && cost > 2',
    ];
    const messages = sources.flatMap((source) =>
      findingsOf(source).map(({ message, hint }) => `${source.slice(0, 30)} → ${message}${hint ? ` ${hint}` : ''}`),
    );
    expect(messages.join('\n')).toMatchInlineSnapshot(`
      "clicks == → Found "==", expected a comparison such as "clicks >= 30", joined with AND or OR. Write "=".
      clicks > → The condition ends too early, expected a value: a column, a number, text in quotes or a value in parentheses.
      campaign_name = 'PLA → The text starting with "'PLA" has no closing '. A # after a space starts a comment in the file. If the text contains #, put the whole condition in quotes.
      clicks > 999999999999999999999 → Found "9999999999999999999999999999999999999999", expected a number of at most 30 digits.
      clicks > 1,000 → Found ",", expected a comparison such as "clicks >= 30", joined with AND or OR. Write numbers without separators: 1000, 2.50.
      cost > $5 → Found "$", which has no meaning in a condition. Write amounts as plain numbers. Set the currency with its own key, such as "currency: EUR".
      clicks over 2 months > 1 → Found "months", expected a window such as "over 7 days" or "same weekday over 4 weeks". Also valid: "over previous 7 days", "over month to date", "on yesterday", "on today". Write days as "over 7 days", "over month to date" or "on today".
      clicks on monday > 1 → Found "on", expected a comparison such as "clicks >= 30", joined with AND or OR. Write days as "over 7 days", "over month to date" or "on today".
      clicks over 7 days on yesterda → Found "on", expected a comparison such as "clicks >= 30", joined with AND or OR. Write days as "over 7 days", "over month to date" or "on today".
      clicks = NULL → Found "NULL", expected a value: a column, a number, text in quotes or a value in parentheses. Write "IS NULL" or "IS NOT NULL".
      metrics.clicks > 1 → Found ".", which has no meaning in a condition. Use the column names of the table: clicks, campaign_name.
      clicks BETWEEN 1, 2 → Found ",", expected AND between the two values of BETWEEN.
      clicks IN 5 → Found "5", expected a list in parentheses such as IN (1, 2), or a column of labels.
      name LIKE 5 → Found "5", expected a pattern in quotes such as 'Brand%', where % stands for any text.
      clicks IS 5 → Found "5", expected NULL or NOT NULL after IS.
      clicks NOT 5 → Found "5", expected BETWEEN, IN or LIKE after NOT.
      (clicks > 5 5 → Found "5", expected an operator or the closing parenthesis.
      coalesce(clicks 0) > 1 → Found "0", expected a comma or the closing parenthesis.
      name = 'it''s' → Found "'s'", expected a comparison such as "clicks >= 30", joined with AND or OR. Write a backslash before a quote within a text: 'it\\'s'.
      name = “x” → Found "“", which has no meaning in a condition. Put text in straight quotes: 'Brand'.
      name = “x” → Found "”", which has no meaning in a condition. Put text in straight quotes: 'Brand'.
      clicks > 1 && cost > 2 → Found "&&", expected a comparison such as "clicks >= 30", joined with AND or OR. Write "AND"."
    `);
  });
});

describe('a value', () => {
  it.each([
    ['a comparison', 'a > 1', ['UNEXPECTED_INPUT 1:3-1:4']],
    ['two values', 'a, b', ['UNEXPECTED_INPUT 1:2-1:3']],
    ['a format', 'a | round', ['BAD_SYMBOL 1:3-1:4']],
  ])('is a single value: %s', (_, source, places) => {
    expect(findingsOf(source, parseValue).map(place)).toEqual(places);
  });
});
