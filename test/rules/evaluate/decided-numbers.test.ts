import { describe, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/civil-date.ts';
import { formatRational, parseExact } from '../../../src/domain/rational.ts';
import type { DecidedNumber } from '../../../src/language/rules/evaluate/decided-number.ts';
import { accountOf, budgetOf, row, type TableRow, TODAY, verdictOf } from '../evaluated.ts';
import { pacedVerdict, steady } from '../pacing/paced.ts';
import type { RuleText } from '../rule-fixtures.ts';

const WEEK = { from: '2026-11-13', to: '2026-11-19' };
const PREVIOUS = { from: '2026-11-06', to: '2026-11-12' };

function numbersOf(text: RuleText, rows: readonly TableRow[] = [row()]): readonly DecidedNumber[] {
  const [request] = verdictOf(text, rows).requests();
  if (request === undefined) throw new Error('The rule requests for nothing.');
  return request.numbers;
}

function read(name: string, value: string | null, unit: string | null, ...days: object[]): object {
  return { name, days, computed: false, value, unit };
}

function computed(name: string, value: string, unit: string, ...days: object[]): object {
  return { name, days, computed: true, value, unit };
}

describe('the numbers of a request are', () => {
  it.each<[string, string, object[]]>([
    ['a count with its days', 'clicks >= 30', [read('clicks', '412', 'count', WEEK)]],
    [
      'an exact amount in micros and what it was computed from, each once',
      'clicks >= 30 AND cost / clicks > 2.50',
      [
        read('clicks', '412', 'count', WEEK),
        computed('cost / clicks', '3210000', 'micros', WEEK),
        read('cost', '1322520000', 'micros', WEEK),
      ],
    ],
    ['a share that is one name as one number', 'ctr < 5%', [read('ctr', '0.0412', 'share', WEEK)]],
    [
      'a budget without days',
      'cost > budget',
      [read('cost', '1322520000', 'micros', WEEK), read('budget', '20000000', 'micros')],
    ],
    [
      'a text',
      "campaign_name = 'Shoes' AND clicks > 1",
      [read('campaign_name', 'Shoes', 'text'), read('clicks', '412', 'count', WEEK)],
    ],
    [
      'both of the same words over different days',
      'cost > 2 * cost over previous 7 days',
      [
        read('cost', '1322520000', 'micros', WEEK),
        computed('2 * cost over previous 7 days', '1000000000', 'micros', PREVIOUS),
        read('cost over previous 7 days', '500000000', 'micros', PREVIOUS),
      ],
    ],
    [
      'the days of all that was computed with',
      'cost / cost over previous 7 days > 1',
      [
        computed('cost / cost over previous 7 days', '2.64504', 'share', WEEK, PREVIOUS),
        read('cost', '1322520000', 'micros', WEEK),
        read('cost over previous 7 days', '500000000', 'micros', PREVIOUS),
      ],
    ],
    [
      'single days',
      'mean(clicks) same weekday over 2 weeks > 1',
      [
        read(
          'mean(clicks) same weekday over 2 weeks',
          '412',
          'number',
          { from: '2026-11-05', to: '2026-11-05' },
          { from: '2026-11-12', to: '2026-11-12' },
        ),
      ],
    ],
    [
      'null where they are not known',
      'coalesce(clicks over 1 days, 5) > 1',
      [
        computed('coalesce(clicks over 1 days, 5)', '5', 'count', { from: '2026-11-19', to: '2026-11-19' }),
        read('clicks over 1 days', null, null, { from: '2026-11-19', to: '2026-11-19' }),
      ],
    ],
  ])('%s', (_, when, expected) => {
    const before = row({ ago: 8, cost_micros: 500_000_000n });
    expect(numbersOf({ when, over: '7 days' }, [row({ ago: 2 }), before])).toStrictEqual(expected);
  });

  it('also those of the amount that is set', () => {
    const text = { when: 'clicks >= 30', change: 'set budget to cost / 7' };
    expect(numbersOf(text)).toStrictEqual([
      read('clicks', '412', 'count', WEEK),
      computed('cost / 7', '1322520000/7', 'micros', WEEK),
      read('cost', '1322520000', 'micros', WEEK),
    ]);
  });

  it('the month of a rule that paces', () => {
    const account = accountOf({ 1: budgetOf(71, '60') });
    const [request] = pacedVerdict({}, steady(60), account).requests();
    const month = { from: '2026-11-01', to: '2026-11-30' };
    const gone = { from: '2026-11-01', to: addDays(TODAY, -1) };
    expect(request?.numbers).toStrictEqual([
      read('target', '3000000000', 'micros', month),
      read('spent', '1140000000', 'micros', gone),
      read('unsettled', '0', 'micros'),
      read('ideal', '1900000000', 'micros', gone),
      read('budgeted', '1800000000', 'micros', month),
      read('projected', '1800000000', 'micros', month),
      read('budget', '60000000', 'micros'),
    ]);
  });

  it('the same after storage as JSON', () => {
    const numbers = numbersOf({ when: 'clicks >= 30 AND cost / clicks > 2.50' });
    expect(JSON.parse(JSON.stringify(numbers))).toStrictEqual(numbers);
  });

  it('exact when they are read back', () => {
    const values = (when: string) => numbersOf({ when }).map(({ value }) => formatRational(parseExact(value ?? ''), 3));
    expect(values('-cost / 7 < 0')).toEqual(['-188931428.571', '1322520000']);
    expect(values('-ctr / 2 < 0')).toEqual(['-0.021', '0.041']);
  });
});
