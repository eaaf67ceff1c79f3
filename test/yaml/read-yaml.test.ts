import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readYaml, type YamlReading } from '../../src/language/yaml/read-yaml.ts';
import { customerIdText, digits, nonEmptyText, oneOrMany, wholeNumber } from '../../src/language/yaml/scalars.ts';
import { place } from '../gaql/findings.ts';
import { byEffort } from '../support/effort.ts';

const schema = z.strictObject({
  name: nonEmptyText.optional(),
  size: z.enum(['small', 'large']).optional(),
  ids: oneOrMany(digits).optional(),
  group: z
    .strictObject({ count: wholeNumber(1, 9), label: nonEmptyText })
    .partial()
    .default({}),
  byId: z.record(customerIdText, z.strictObject({ count: wholeNumber(1, 9) })).default({}),
});
const EMPTY = { group: {}, byId: {} };

const read = (source: string) => readYaml(source, schema);

function readValue(source: string): unknown {
  const reading = read(source);
  return reading.kind === 'ok' ? reading.value : reading.diagnostics.map(({ message }) => message);
}

function findingsOf(source: string): string[] {
  const reading: YamlReading<unknown> = read(source);
  return reading.kind === 'refused' ? reading.diagnostics.map((found) => `${place(found)} ${found.message}`) : [];
}

describe('a YAML text', () => {
  it.each([
    ['nothing', ''],
    ['a comment', '# nothing\n'],
    ['an empty document', '---\n'],
    ['an empty group', '{}'],
    ['spaces and line ends', '  \n\r\n'],
    ['a byte order mark', '\uFEFF'],
  ])('may be empty: %s', (_, source) => {
    expect(readValue(source)).toEqual(EMPTY);
  });

  it.each([
    ['lines', 'name: a\ngroup:\n  count: 5\n'],
    ['Windows lines', 'name: a\r\ngroup:\r\n  count: 5\r\n'],
    ['one line', '{ name: a, group: { count: 5 } }'],
    ['JSON', '{"name": "a", "group": {"count": "5"}}'],
    ['a byte order mark', '\uFEFFname: a\ngroup: { count: 5 }'],
    ['a directive', '%YAML 1.2\n---\nname: a\ngroup: { count: 5 }\n...\n'],
    ['quotes', `"name": 'a'\ngroup: { "count": "5" }`],
    ['folded text', 'name: >-\n  a\ngroup:\n  count: |\n    5\n'],
    ['tags', 'name: !!str a\ngroup: !!map { count: !mine 5 }'],
    ['comments', 'name: a # b\n# c\ngroup: # d\n  count: 5'],
  ])('may be written as %s', (_, source) => {
    expect(readValue(source)).toEqual({ ...EMPTY, name: 'a', group: { count: 5 } });
  });

  it.each([
    ['yes', 'yes'],
    ['null', 'null'],
    ['1_000', '1_000'],
    ['0o17', '0o17'],
    ['2026-01-01', '2026-01-01'],
    ['12345678901234567890', '12345678901234567890'],
    ['2.50', '2.50'],
    ['~', '~'],
  ])('keeps %s as written', (written, text) => {
    expect(readValue(`name: ${written}`)).toEqual({ ...EMPTY, name: text });
  });

  it('B8: keys may be customer ids with dashes', () => {
    expect(readValue('byId: { 123-456-7890: { count: 5 } }')).toEqual({ ...EMPTY, byId: { 1234567890: { count: 5 } } });
  });

  it('may use an anchor again', () => {
    expect(readValue('group: { label: &label a, count: 5 }\nname: *label')).toEqual({
      ...EMPTY,
      name: 'a',
      group: { label: 'a', count: 5 },
    });
  });
});

describe('a YAML text that is refused', () => {
  it.each([
    ['a key twice', 'name: a\nname: b', ['BAD_YAML 2:1-2:5 This key appears twice in its group.']],
    [
      'a key twice, inside',
      'group: { count: 5, count: 6 }',
      ['BAD_YAML 1:20-1:25 This key appears twice in its group.'],
    ],
    [
      'mistakes that the library reports in reverse order',
      '{: ""a:',
      [
        'BAD_YAML 1:4-1:8 Block collections are not allowed within flow collections.',
        'BAD_YAML 1:6-1:7 Invalid YAML.',
        'BAD_YAML 1:8-1:8 Flow map must end with a }.',
      ],
    ],
    ['a tab for indentation', 'group:\n\tcount: 5', ['BAD_YAML 2:1-2:2 Found a tab as indentation, expected spaces.']],
    ['a quote that is not closed', 'name: "a', ['BAD_YAML 1:9-1:9 A text begins with " but does not end with it.']],
    ['an alias without an anchor', 'name: *nothing', ['BAD_YAML 1:7-1:15 This alias has no anchor before it.']],
    ['a list', '- a', ['BAD_VALUE 1:1-1:4 Found a list, expected a group of settings.']],
    ['text', 'abc', ['BAD_VALUE 1:1-1:4 Found "abc", expected a group of settings.']],
    ['text for a group', 'group: abc', ['BAD_VALUE 1:8-1:11 Found "abc" for "group", expected a group of settings.']],
    ['nothing for a group', 'group:\n', ['BAD_VALUE 1:7-1:7 Found "" for "group", expected a group of settings.']],
    ['a list for text', 'name: [a]', ['BAD_VALUE 1:7-1:10 Found a list for "name", expected text that is not empty.']],
    [
      'a group for text',
      'name: { a: b }',
      ['BAD_VALUE 1:7-1:15 Found a group of settings for "name", expected text that is not empty.'],
    ],
    ['another word', 'size: huge', ['BAD_VALUE 1:7-1:11 Found "huge" for "size", expected one of small, large.']],
    ['an unknown key, at the key', 'colour: red', ['UNKNOWN_KEY 1:1-1:7 Unknown setting "colour".']],
    [
      'unknown keys inside',
      'group: { a: 1, b: 2 }',
      ['UNKNOWN_KEY 1:10-1:11 Unknown setting "a".', 'UNKNOWN_KEY 1:16-1:17 Unknown setting "b".'],
    ],
    ['a key that is a list', '? [a]\n: b', ['UNKNOWN_KEY 1:1-2:4 Unknown setting "[ a ]".']],
    ['a merge key', '<<: { name: a }', ['UNKNOWN_KEY 1:1-1:3 Unknown setting "<<".']],
    ['a name of every object', 'constructor: a', ['UNKNOWN_KEY 1:1-1:12 Unknown setting "constructor".']],
    ['the prototype', '__proto__: { name: a }', ['UNKNOWN_KEY 1:1-1:10 Unknown setting "__proto__".']],
    [
      'the prototype, inside',
      'group: { __proto__: { count: 5 } }',
      ['UNKNOWN_KEY 1:10-1:19 Unknown setting "__proto__".'],
    ],
    [
      'a key of no such form',
      'byId: { (123)4: { count: 5 } }',
      [
        'BAD_KEY 1:9-1:15 Found the key "(123)4" in "byId", expected a customer id: digits, dashes allowed, no parentheses.',
      ],
    ],
    [
      'a value of a map',
      'byId: { 1-2: { count: 0 } }',
      ['BAD_VALUE 1:23-1:24 Found "0" for "byId.1-2.count", expected a whole number from 1 to 9.'],
    ],
    [
      'a missing key of a map',
      'byId: { 1-2: {} }',
      ['MISSING_KEY 1:14-1:16 "byId.1-2.count" is missing, expected a whole number from 1 to 9.'],
    ],
    [
      'a value of a list',
      'ids: [5, x, 6]',
      ['BAD_VALUE 1:10-1:11 Found "x" for "ids.1", expected an id of digits only.'],
    ],
    ['one value for a list', 'ids: x5', ['BAD_VALUE 1:6-1:8 Found "x5" for "ids", expected an id of digits only.']],
    ['nothing for a list', 'ids:', ['BAD_VALUE 1:5-1:5 Found "" for "ids", expected an id of digits only.']],
    [
      'the value of an alias, at the alias',
      'group: &a { count: 5, label: &b { c: d } }\nname: *b',
      [
        'BAD_VALUE 1:33-1:41 Found a group of settings for "group.label", expected text that is not empty.',
        'BAD_VALUE 2:7-2:9 Found a group of settings for "name", expected text that is not empty.',
      ],
    ],
    [
      'NUL',
      'name: a\u0000b\nsize: a\u0000',
      ['BAD_VALUE 2:7-2:9 Found "a\\u0000" for "size", expected one of small, large.'],
    ],
  ])('%s', (_, source, expected) => {
    expect(findingsOf(source)).toEqual(expected);
  });

  it('several documents', () => {
    expect(findingsOf('name: a\n---\nname: b')).toEqual([
      'BAD_YAML 2:1-3:8 Found a second YAML document, expected one.',
    ]);
  });

  it.each([
    ['an unknown alias', 'name: *word'],
    ['a header of a text of several lines', 'name: |word'],
    ['an escape', 'name: "\\word"'],
    ['a tag', 'name: !word!word a'],
    ['a directive', '%YAML word\n---\nname: a'],
    ['text after the end', 'name: "a" word'],
    ['an invalid token', 'name: }word'],
    ['a first character', 'name: @word'],
  ])('in words that never repeat the text: %s', (_, source) => {
    const messages = findingsOf(source);
    expect(messages.length).toBeGreaterThan(0);
    expect(messages.join(' ')).not.toContain('word');
  });

  it('has all findings at once, in text order', () => {
    const source = 'colour: red\nsize: huge\ngroup:\n  count: 10\n  labels: x\nids: [a, b]\n';
    expect(findingsOf(source).map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual([
      ...'UNKNOWN_KEY 1:1-1:7, BAD_VALUE 2:7-2:11, BAD_VALUE 4:10-4:12, UNKNOWN_KEY 5:3-5:9'.split(', '),
      ...'BAD_VALUE 6:7-6:8, BAD_VALUE 6:10-6:11'.split(', '),
    ]);
  });

  it('leaves other objects unchanged', () => {
    read('__proto__: { polluted: a }\nbyId: { __proto__: { count: 5 } }');
    read('byId: { __proto__: { count: 5 } }');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(({} as Record<string, unknown>).count).toBeUndefined();
    expect(readValue('byId: { __proto__: { count: 5 } }')).toEqual(EMPTY);
  });
});

describe('hostile texts', () => {
  it('anchors of anchors are refused before they fill the memory', () => {
    const levels = [...'abcdefghi'].map((name, index, names) => {
      const inner = index === 0 ? 'x' : `*${names[index - 1]}`;
      return `${name}: &${name} [${Array(9).fill(inner).join(', ')}]`;
    });
    expect(findingsOf(levels.join('\n'))).toEqual([
      'BAD_YAML 1:1-1:1 The aliases of this file refer to themselves, or expand to too much text.',
    ]);
  });

  it('an anchor inside itself ends', () => {
    expect(findingsOf('group: &g { count: *g }')).toHaveLength(1);
  });

  it.each([
    ['lists', '['.repeat(100_000)],
    ['groups', '{a: '.repeat(50_000)],
    ['lines', '- '.repeat(50_000)],
    ['closed lists', `${'['.repeat(2_000)}${']'.repeat(2_000)}`],
  ])('nested %s give findings, not a crash', (_, source) => {
    expect(findingsOf(source).length).toBeGreaterThan(0);
  });

  it('more than a megabyte is refused', () => {
    expect(findingsOf(`name: ${'x'.repeat(1024 * 1024)}`)).toEqual([
      'TOO_LARGE 1:1-1:1 The file has more than 1048576 characters.',
    ]);
  });

  it('no text makes it throw', () => {
    const signs = ': |:|\n|  |\t|- |[|]|{|}|,|"|\'|#| |&a |*a|!!str |? |>-\n|---\n|\u0000|\uFEFF|%YAML|\r|<<'.split(
      '|',
    );
    const piece = fc.constantFrom(...signs, '|\n', 'name', 'group', 'ids', 'byId', '5', '__proto__');
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (source) => {
        const reading = read(source);
        if (reading.kind === 'refused') expect(reading.diagnostics.length).toBeGreaterThan(0);
      }),
      { numRuns: byEffort({ quick: 60, thorough: 150 }) },
    );
  });
});

describe('places in the text', () => {
  const source = 'name: a\ngroup:\n  label: "quoted"\n  count: 5 # five\n';
  const places = () => {
    const reading = read(source);
    if (reading.kind !== 'ok') throw new Error('refused');
    return reading.places;
  };

  it.each([
    ['a value', ['name'], '1:7-1:8'],
    ['a value inside', ['group', 'count'], '4:10-4:11'],
    ['a quoted value, with its quotes', ['group', 'label'], '3:10-3:18'],
    ['a missing key: the group around it', ['group', 'missing'], '3:3-5:1'],
    ['an invalid path: the nearest node', ['name', 'x', 0], '1:7-1:8'],
    ['the whole', [], '1:1-5:1'],
  ])('%s', (_, path, expected) => {
    const { start, end } = places().spanOf(path);
    expect(`${start.line}:${start.column}-${end.line}:${end.column}`).toBe(expected);
  });

  it('a key', () => {
    const { start, end } = places().keySpanOf(['group', 'count']);
    expect([start.line, start.column, end.column]).toEqual([4, 3, 8]);
  });

  it('know what is written', () => {
    const paths = [['name'], ['group', 'label'], ['group', 'missing'], ['missing'], ['name', 'x']];
    expect(paths.map((path) => places().has(path))).toEqual([true, true, false, false, false]);
  });

  /** Where a stretch of the text at `name` stands. */
  const stretchIn = (text: string, from: (value: string) => number, length: number): string => {
    const reading = readYaml(text, z.looseObject({ name: z.string() }));
    if (reading.kind !== 'ok') throw new Error('refused');
    const first = from(reading.value.name);
    const { start, end } = reading.places.stretchOf(['name'], first, first + length);
    return `${start.line}:${start.column}-${end.line}:${end.column}`;
  };

  it.each([
    ['plain text', 'name: a b', '1:9-1:10'],
    ['text before a comment', 'name: a b # c', '1:9-1:10'],
    ['text after an anchor', 'name: &x a b', '1:12-1:13'],
    ['text in double quotes', 'name: "a b"', '1:10-1:11'],
    ['text in single quotes', "name: 'a b'", '1:10-1:11'],
    ['text on two lines', 'name: a\n  b', '2:3-2:4'],
    ['quoted text on two lines', 'name: "a\n  b"', '2:3-2:4'],
    ['folded text', 'name: >-\n  a\n\n  b', '4:3-4:4'],
    ['folded text with a comment', 'name: > # c b\n  a b\n', '2:5-2:6'],
    ['literal text', 'name: |2\n  a\n   b\n', '3:4-3:5'],
    ['text with Windows line ends', 'name: >-\r\n  a\r\n  b', '3:3-3:4'],
    ['text after a byte order mark', '\uFEFFname: "a b"', '1:11-1:12'],
    ['text with escapes: all of it', 'name: "a\\u0020b"', '1:7-1:17'],
    ['text with a doubled quote: all of it', "name: '''a b'", '1:7-1:14'],
  ])('a stretch of %s', (_, text, expected) => {
    expect(stretchIn(text, (value) => value.indexOf('b'), 1)).toBe(expected);
  });

  it.each([
    ['of several words', 0, 6, '1:8-1:14'],
    ['of a blank', 4, 1, '1:12-1:13'],
    ['of nothing', 4, 0, '1:12-1:12'],
    ['at the end, the last word', 9, 1, '1:17-1:18'],
    ['beyond the end, the same', 30, 10, '1:17-1:18'],
  ])('a stretch %s', (_, from, length, expected) => {
    expect(stretchIn('name: "some text"', () => from, length)).toBe(expected);
  });
});
