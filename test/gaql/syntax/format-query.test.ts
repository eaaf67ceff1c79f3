import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatQuery } from '../../../src/language/gaql/syntax/format-query.ts';
import { parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { printQuery } from '../../../src/language/gaql/syntax/print-query.ts';
import { queryLexer } from '../../../src/language/gaql/syntax/tokens.ts';
import { byEffort } from '../../support/effort.ts';
import { queryTree } from './query-arbitrary.ts';
import { S } from './readings.ts';

const formatted = (source: string) => formatQuery(parseQuery(source));

describe('the layout', () => {
  it('has one line per field and condition, and keeps comments in place', () => {
    const source = [
      '-- What it is for.',
      '',
      '# By whom.',
      '',
      'select campaign.id as c, -- the id',
      '  /* the name */ campaign.name from campaign // all of them',
      'where -- only these',
      'campaign.id in (1, -- the first',
      "2) and campaign.name like 'a%' /* like */ and campaign.status is not null",
      'order by campaign.id desc, campaign.name limit 5 parameters include_drafts=true; -- the end',
      '-- really',
    ].join('\n');
    expect(formatted(source)).toMatchInlineSnapshot(`
      "-- What it is for.

      # By whom.

      SELECT
        campaign.id AS c, -- the id
        /* the name */
        campaign.name
      FROM campaign // all of them
      -- only these
      -- the first
      WHERE campaign.id IN (1, 2)
        AND campaign.name LIKE 'a%' /* like */
        AND campaign.status IS NOT NULL
      ORDER BY campaign.id DESC,
        campaign.name
      LIMIT 5
      PARAMETERS include_drafts = true -- the end
      -- really
      "
    `);
  });

  it('breaks long lists at 100 columns', () => {
    const list = Array.from({ length: 40 }, (_, index) => 1_000_000 + index).join(',');
    const text = formatted(`${S} WHERE campaign.id IN (${list}) AND campaign.name != 'x' LIMIT 5`);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(text).toMatchInlineSnapshot(`
      "SELECT
        campaign.id
      FROM campaign
      WHERE campaign.id IN (
          1000000, 1000001, 1000002, 1000003, 1000004, 1000005, 1000006, 1000007, 1000008, 1000009,
          1000010, 1000011, 1000012, 1000013, 1000014, 1000015, 1000016, 1000017, 1000018, 1000019,
          1000020, 1000021, 1000022, 1000023, 1000024, 1000025, 1000026, 1000027, 1000028, 1000029,
          1000030, 1000031, 1000032, 1000033, 1000034, 1000035, 1000036, 1000037, 1000038, 1000039
        )
        AND campaign.name != 'x'
      LIMIT 5
      "
    `);
  });

  it('keeps the lines of a block comment, and ends them with \\n', () => {
    expect(formatted(`/*\r\n * One.  \r\n *   Two.\r\n */\r\n${S} /* a\r\n  b */ LIMIT 5`)).toMatchInlineSnapshot(`
      "/*
       * One.
       *   Two.
       */
      SELECT
        campaign.id
      FROM campaign /* a
        b */
      LIMIT 5
      "
    `);
  });

  it('lays out a query without comments', () => {
    expect(formatted(S)).toMatchInlineSnapshot(`
      "SELECT
        campaign.id
      FROM campaign
      "
    `);
  });
});

const comment = fc.constantFrom(
  '-- so\n',
  '# so\n',
  '// so\r\n',
  '/* so */',
  '/* a\n   b */',
  '/* a\r\n\r\n b */',
  '\n-- so\n\n',
  '\n\n',
  '/**/',
  '--\n',
);

describe('any query with any comments between its words', () => {
  it('keeps all comments in order and the same meaning, and is stable', () => {
    fc.assert(
      fc.property(queryTree, fc.array(comment, { minLength: 1, maxLength: 30 }), (tree, comments) => {
        const words = queryLexer.tokenize(printQuery(tree)).tokens.map(({ image }) => image);
        const source = words
          .flatMap((word, index) => [word, ' ', comments[(index * 7) % (comments.length + 3)] ?? ''])
          .join('');
        const before = parseQuery(source);
        const text = formatQuery(before);
        const after = parseQuery(text);
        expect(after.diagnostics).toEqual([]);
        expect(printQuery(after.tree)).toBe(printQuery(tree));
        expect(after.comments.map(textOf)).toEqual(before.comments.map(textOf));
        expect(formatQuery(after)).toBe(text);
      }),
      { numRuns: byEffort({ quick: 150, thorough: 500 }) },
    );
  });
});

/** The words of a comment, whatever the ends of its lines. */
function textOf(found: { readonly text: string }): string {
  return found.text.split(/[ \t]*(?:\r\n|\r|\n)/).join('\n');
}

it('keeps any number of comments', () => {
  const comments = '-- so\n'.repeat(150_000);
  expect(formatQuery(parseQuery(`${comments}SELECT a.b FROM c`))).toBe(`${comments}SELECT\n  a.b\nFROM c\n`);
});
