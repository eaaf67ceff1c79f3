import fc from 'fast-check';
import type { Span } from '../../../src/domain/diagnostic.ts';
import {
  type Condition,
  type Literal,
  OPERATORS,
  type Operator,
  type Placeholder,
  type Query,
  takesList,
  type Value,
} from '../../../src/language/gaql/syntax/tree.ts';

const START = { offset: 0, line: 1, column: 1 };
const span: Span = { start: START, end: START };

const KEYWORDS =
  /^(select|from|where|and|or|order|by|asc|desc|limit|in|not|like|between|during|is|null|as|contains|regexp_match|parameters)$/i;
const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/).filter((name) => !KEYWORDS.test(name));
const fieldName = fc.stringMatching(/^[a-z][a-z0-9_]{0,6}(\.[a-z0-9_]{1,6}){1,2}$/);
const field = fieldName.map((name) => ({ kind: 'field' as const, name, span }));
const alias = fc.option(
  word.map((name) => ({ name, span })),
  { nil: undefined },
);

const text: fc.Arbitrary<Literal> = fc
  .array(
    fc.constantFrom(
      ...[['a'], [' '], ['#'], ['--'], ['/*'], ['//'], [';'], [' FROM '], ['{x}'], ['é'], ['😀'], ['%'], ['[_]']].map(
        ([same = '']) => ({ raw: same, text: same }),
      ),
      { raw: "\\'", text: "'" },
      { raw: '\\"', text: '"' },
      { raw: '\\\\', text: '\\' },
      { raw: '\\n', text: '\n' },
    ),
  )
  .chain((parts) =>
    fc.constantFrom("'", '"').map((mark) => ({
      kind: 'string' as const,
      text: parts.map((part) => part.text).join(''),
      raw: `${mark}${parts.map((part) => part.raw).join('')}${mark}`,
      span,
    })),
  );
const literal: fc.Arbitrary<Literal> = fc.oneof(
  text,
  fc.stringMatching(/^-?\d{1,20}(\.\d{1,4})?$/).map((number) => ({ kind: 'number' as const, text: number, span })),
  fc
    .stringMatching(/^[A-Z][A-Z_0-9]{2,9}$/)
    .filter((name) => !KEYWORDS.test(name))
    .map((name) => ({ kind: 'name' as const, text: name, span })),
  fc.constantFrom('ANY', 'ALL', 'NONE', 'TRUE').map((name) => ({ kind: 'name' as const, text: name, span })),
);
const placeholder: fc.Arbitrary<Placeholder> = fc.record({
  kind: fc.constant('placeholder'),
  name: fc.stringMatching(/^[a-z_]\w{0,8}$/),
  days: fc.option(fc.integer({ min: -999_999, max: 999_999 }), { nil: undefined }),
  span: fc.constant(span),
});
const value: fc.Arbitrary<Value> = fc.oneof(literal, placeholder);

const period = fc.oneof(
  placeholder,
  fc.constantFrom('TODAY', 'LAST_7_DAYS').map((name) => ({ kind: 'name' as const, text: name, span })),
);

function valuesFor(operator: Operator): fc.Arbitrary<readonly Value[]> {
  if (takesList(operator)) return fc.array(value, { minLength: 1, maxLength: 30 });
  if (operator.startsWith('IS')) return fc.constant([]);
  const count = operator === 'BETWEEN' ? 2 : 1;
  return fc.array(operator === 'DURING' ? period : value, { minLength: count, maxLength: count });
}

const condition: fc.Arbitrary<Condition> = fc.constantFrom(...OPERATORS).chain((operator) =>
  fc.record({
    field,
    operator: fc.constant(operator),
    operatorSpan: fc.constant(span),
    values: valuesFor(operator),
    valuesSpan: fc.constant(span),
  }),
);

/** Every query that can be written; the places are of no text. */
export const queryTree: fc.Arbitrary<Query> = fc.record({
  kind: fc.constant('query'),
  select: fc.array(
    fc.tuple(field, alias).map(([of, as]) => ({ ...of, alias: as })),
    { minLength: 1, maxLength: 5 },
  ),
  from: word.map((name) => ({ kind: 'resource' as const, name, span })),
  where: fc.array(condition, { maxLength: 4 }),
  orderBy: fc.array(fc.record({ field, direction: fc.constantFrom('ASC', 'DESC'), span: fc.constant(span) }), {
    maxLength: 3,
  }),
  limit: fc.option(
    fc.integer({ min: 1, max: 2_147_483_647 }).map((rows) => ({ rows, span })),
    { nil: undefined },
  ),
  parameters: fc.array(fc.record({ name: word, nameSpan: fc.constant(span), value: literal }), { maxLength: 2 }),
  span: fc.constant(span),
});

/** The tree without its places, to compare with. */
export function withoutSpans(tree: Query): unknown {
  return JSON.parse(JSON.stringify(tree, (key, part: unknown) => (/^(s|.*S)pan$/.test(key) ? undefined : part)));
}
