import { describe, expect, it } from 'vitest';
import { exploreChart, type KnownMoney } from '../../../src/dashboard/explore/explore-chart.ts';
import { type ChartChoice, choiceFields, choiceIn } from '../../../src/dashboard/explore/explore-text.ts';
import type { ExploredValue } from '../../../src/storage/warehouse/explored.ts';
import { html } from '../../../src/views/html/html.ts';

const money: KnownMoney = {
  kindOf: (column) =>
    column === 'cost_micros' ? 'micros' : column === 'cost' ? 'units' : column === 'clicks' ? 'none' : undefined,
  currencies: new Map([
    ['1', 'EUR'],
    ['2', 'USD'],
  ]),
};
const micros = (amount: string): ExploredValue => ({ integer: amount });

function draw(
  columns: readonly string[],
  rows: readonly (readonly ExploredValue[])[],
  choice: ChartChoice = {},
  known: KnownMoney = money,
): string {
  const explored = { kind: 'rows' as const, columns, rows, count: rows.length, isWhole: true };
  const drawn = exploreChart({ explored, choice, money: known, kept: html``, caption: 'Rows' });
  return drawn?.markup ?? '';
}

const captionOf = (markup: string) => /<figcaption>(.*?)<\/figcaption>/.exec(markup)?.[1];
const barsOf = (markup: string) =>
  [...markup.matchAll(/<g class="s\d"><path d="([^"]*)"/g)].map(([, path = '']) =>
    [...path.matchAll(/M[\d.]+ ([\d.]+)V([\d.]+)/g)].map(([, foot, head]) => [Number(foot), Number(head)]),
  );

describe('a chart of amounts', () => {
  const rows = [
    ['2026-11-01', 'EUR', micros('9007199254740993')],
    ['2026-11-02', 'EUR', micros('2000000')],
    ['2026-11-01', 'USD', micros('7000000')],
  ];
  const columns = ['date', 'currency', 'cost_micros'];

  it('has one currency, that of most rows, and names the others', () => {
    const drawn = draw(columns, rows);
    expect(captionOf(drawn)).toBe('cost_micros by date <small>EUR</small>');
    // The words are exact, although the drawing is not.
    expect(drawn).toContain('9,007,199,254.74 EUR');
    expect(drawn).not.toContain('7.00 USD');
    expect(drawn).toContain('The chart has only EUR. Other rows are in USD.');
  });

  it('has the currency that the address names', () => {
    const drawn = draw(columns, rows, { currency: 'USD' });
    expect(captionOf(drawn)).toBe('cost_micros by date <small>USD</small>');
    expect(drawn).toContain('7.00 USD');
    expect(drawn).not.toContain(' EUR\n');
  });

  it('takes the currency of the account if the rows have none', () => {
    const drawn = draw(
      ['date', 'customer_id', 'cost'],
      [
        ['2026-11-01', micros('2'), 1.5],
        ['2026-11-02', micros('2'), 2.5],
        ['2026-11-02', micros('1'), 900],
      ],
    );
    expect(captionOf(drawn)).toBe('cost by date <small>USD</small>');
    expect(drawn).not.toContain('900');
  });

  it('is not drawn if nothing says which of several currencies they are', () => {
    const drawn = draw(
      ['date', 'cost'],
      [
        ['2026-11-01', 1.5],
        ['2026-11-02', 2.5],
      ],
    );
    expect(drawn).not.toContain('<figure>');
    expect(drawn).toContain('also select their <code>currency</code>');
    const alone = { ...money, currencies: new Map([['1', 'EUR']]) };
    const only = draw(
      ['date', 'cost'],
      [
        ['2026-11-01', 1.5],
        ['2026-11-02', 2.5],
      ],
      {},
      alone,
    );
    expect(captionOf(only)).toBe('cost by date <small>EUR</small>');
  });

  it('never mixes currencies in a column of unknown meaning', () => {
    const mixed = [
      ['2026-11-01', 'EUR', 1.5],
      ['2026-11-02', 'EUR', 2.5],
      ['2026-11-02', 'JPY', 900],
    ];
    const drawn = draw(['date', 'currency', 'cpc'], mixed);
    expect(captionOf(drawn)).toBe('cpc by date');
    expect(drawn).not.toContain('900');
    // Counts have no currency, so all rows are drawn.
    expect(draw(['date', 'currency', 'clicks'], mixed)).toContain('and currency');
  });
});

describe('a chart by choosing', () => {
  const columns = ['day', 'kind', 'clicks', 'impressions'];
  const rows = [
    ['2026-11-01', 'Brand', 1, 10],
    ['2026-11-01', 'Generic', 3, 30],
    ['2026-11-02', 'Brand', 2, 20],
    ['2026-11-02', 'Generic', 4, 40],
  ];

  it('finds dates, numbers, and the texts that tell their rows apart', () => {
    expect(captionOf(draw(columns, rows))).toBe('clicks by day and kind');
    expect(draw(columns, rows)).toContain('3 Generic');
  });

  it('draws the columns of the address', () => {
    expect(captionOf(draw(columns, rows, { y: 'impressions', series: 'kind' }))).toBe('impressions by day and kind');
    const bars = draw(columns, rows.slice(0, 2), { x: 'kind', y: 'impressions', kind: 'bar' });
    expect(captionOf(bars)).toBe('impressions by kind');
    expect(bars).toContain('2 values of kind.');
  });

  it('stacks bars, each on the one before', () => {
    const [large, small] = barsOf(draw(columns, rows, { kind: 'stacked' }));
    expect(small?.map(([foot]) => foot)).toEqual(large?.map(([, head]) => head));
    expect(large?.every(([foot]) => foot === 1000)).toBe(true);
  });

  it('does not stack bars below zero', () => {
    const below = rows.map(([day, kind, clicks]) => [day ?? '', kind ?? '', -Number(clicks)]);
    const drawn = draw(['day', 'kind', 'clicks'], below, { kind: 'stacked' });
    expect(drawn).toContain('Bars below zero cannot be stacked.');
  });

  it('says what it leaves out', () => {
    const many = Array.from({ length: 200 }, (_, index) => [`place ${index}`, `kind ${index % 7}`, index]);
    const drawn = draw(['place', 'kind', 'clicks'], many, { x: 'place', y: 'clicks', series: 'kind', kind: 'bar' });
    expect(drawn).toContain('The chart leaves out 140 others. It shows the largest 4 of 7 series.');
  });

  it.each([
    [
      'the column complete',
      ['week', 'clicks', 'complete'],
      [
        ['2026-11-02', 7, 1],
        ['2026-11-09', 2, 0],
      ],
      'Not whole: 2026-11-09.',
    ],
    [
      'no column, for weeks',
      ['week', 'clicks'],
      [
        ['2026-11-02', 7],
        ['2026-11-16', 2],
      ],
      'The first and the last week may not be whole.',
    ],
    [
      'no column, for months',
      ['month', 'clicks'],
      [
        ['2026-10-01', 7],
        ['2026-11-01', 2],
      ],
      'The first and the last month may not be whole.',
    ],
  ])('says which periods are not whole, by %s', (_by, names, periods, words) => {
    expect(draw(names, periods)).toContain(words);
  });

  it.each([
    [
      'whole weeks',
      ['week', 'clicks', 'complete'],
      [
        ['2026-11-02', 7, 1],
        ['2026-11-09', 2, 1],
      ],
    ],
    [
      'days',
      ['date', 'clicks'],
      [
        ['2026-11-02', 7],
        ['2026-11-03', 2],
      ],
    ],
    [
      'one day',
      ['date', 'kind', 'clicks'],
      [
        ['2026-11-02', 'a', 7],
        ['2026-11-02', 'b', 2],
      ],
    ],
    [
      'names',
      ['kind', 'clicks'],
      [
        ['a', 7],
        ['b', 2],
      ],
    ],
  ])('says nothing of the kind about %s', (_of, names, places) => {
    expect(draw(names, places, { x: names[0] })).not.toContain('whole');
  });

  it('asks for sums if a place has several rows', () => {
    const twice = [...rows, ...rows];
    expect(draw(columns, twice)).toContain('GROUP BY day.');
    expect(draw(columns, twice, { series: 'kind' })).toContain('GROUP BY day, kind.');
  });

  it.each([
    ['an unknown column', { x: 'nothing', y: 'nothing', series: 'nothing' }],
    ['a text for its numbers', { y: 'kind' }],
  ])('ignores %s in the address', (_sentence, choice) => {
    expect(captionOf(draw(columns, rows, choice))).toMatch(/^clicks by day/);
  });

  it('offers the choice without dates, and nothing without numbers', () => {
    const kinds = [
      ['Brand', 1],
      ['Generic', 2],
    ];
    expect(draw(['kind', 'clicks'], kinds)).toMatch(/^<details><summary>Draw a chart/);
    expect(draw(['kind', 'campaign_id'], kinds)).toBe('');
    expect(
      draw(
        ['day', 'picture'],
        [
          ['2026-11-01', { bytes: 3 }],
          ['2026-11-02', { bytes: 4 }],
        ],
      ),
    ).toBe('');
    expect(
      draw(
        ['day', 'clicks'],
        [
          ['2026-11-01', null],
          ['2026-11-02', null],
        ],
      ),
    ).toBe('');
  });

  it('shows markup in columns and series as text', () => {
    const drawn = draw(['day', '<b>kind</b>', '<i>'], rows, { x: 'day', y: '<i>', series: '<b>kind</b>' });
    expect(drawn).not.toMatch(/<b>kind|<i>(?!<)/);
    expect(drawn).toContain('&lt;i&gt; by day and &lt;b&gt;kind&lt;/b&gt;');
  });
});

it('an address draws the same chart again', () => {
  const choice: ChartChoice = { x: 'week', y: 'cost & more', series: '', kind: 'stacked', currency: 'EUR' };
  expect(choiceIn(new URLSearchParams(choiceFields(choice)))).toEqual(choice);
  expect(choiceFields(choiceIn(new URLSearchParams('kind=pie&y=a')))).toEqual({ y: 'a' });
});
