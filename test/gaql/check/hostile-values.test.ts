import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { queryForDay } from '../../../src/gaql/check/query-for-range.ts';
import { parseQuery } from '../../../src/gaql/syntax/parse-query.ts';
import { byEffort } from '../../support/effort.ts';
import { check } from '../findings.ts';

describe('no value changes what is asked', () => {
  const textOf = (value: string) => {
    const { query } = check(`SELECT campaign.id FROM campaign WHERE campaign.name = :x AND campaign.id = 1`, {
      parameters: new Map([['x', [value]]]),
    });
    if (!query) throw new Error('refused');
    const { tree, diagnostics } = parseQuery(queryForDay(query, civilDate('2026-06-17')));
    expect(diagnostics).toEqual([]);
    expect(tree.where).toHaveLength(2);
    expect(tree.select).toHaveLength(1);
    const [condition] = tree.where;
    return condition?.kind === 'comparison' && condition.value.kind === 'string' ? condition.value.text : undefined;
  };

  it.each([
    "' OR 1=1 --",
    "'",
    '"',
    '\\',
    "\\'",
    'a\nb',
    '\r\n',
    '\t',
    ':y',
    ':today',
    "') LIMIT 1",
    '/*',
    '-- x',
    ';',
    '',
    '\u2028',
    '«',
    'x'.repeat(100_000),
  ])('not %j', (value) => {
    expect(textOf(value)).toBe(value);
  });

  it('and no other', () => {
    const hostile = fc.string({
      unit: fc.oneof(
        fc.constantFrom("'", '\\', '"', '\n', '\r', '\t', ':', ' ', 'n', '\u0000'),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(hostile, (value) => {
        expect(textOf(value)).toBe(value);
      }),
      { numRuns: byEffort({ quick: 50, thorough: 250 }) },
    );
  });
});
