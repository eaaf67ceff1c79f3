import { describe, expect, it } from 'vitest';
import { addDays } from '../../src/domain/civil-date.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { chart } from '../../src/views/html/chart/chart.ts';
import { type DayChart, dayChart, dayPicture } from '../../src/views/html/chart/day-chart.ts';
import type { Series } from '../../src/views/html/chart/plot.ts';
import { smallChart } from '../../src/views/html/chart/small-chart.ts';
import { html } from '../../src/views/html/html.ts';
import { drawnMoney } from '../../src/views/html/wording.ts';

type Value = number | undefined;

const FIRST = civilDate('2026-11-27');
const daysFrom = (first: typeof FIRST, count: number) =>
  Array.from({ length: count }, (_, index) => addDays(first, index));

function markupOf(series: readonly Series[], more: Partial<DayChart> = {}): string {
  const x = more.x ?? daysFrom(FIRST, series[0]?.values.length ?? 0);
  return dayChart({ title: 'Spend', summary: 'Some days.', unit: 'EUR', ...more, x, series }).markup;
}

const lineOf = (values: readonly Value[], more: Partial<Series> = {}): Series => ({ name: 'spent', values, ...more });
const pathsOf = (markup: string) =>
  [...(/<g class="s0">([\s\S]*?)<\/g>/.exec(markup)?.[1] ?? '').matchAll(/d="([^"]*)"/g)].map(([, path = '']) => path);
const numbersIn = (text: string) => [...text.matchAll(/-?[\d.]+/g)].map(([number]) => Number(number));
const ticksOf = (markup: string) =>
  [...(/class="y"[^>]*>([\s\S]*?)<\/div>/.exec(markup)?.[1] ?? '').matchAll(/>([^<]+)</g)].map(([, text]) => text);
const labelsOf = (markup: string) =>
  [...(/class="x[^>]*>([\s\S]*?)<\/div>/.exec(markup)?.[1] ?? '').matchAll(/>([^<]+)</g)].map(([, text]) => text);
const tipsOf = (markup: string) => [...markup.matchAll(/data-tip="([^"]*)"/g)].map(([, text]) => text);

describe('a chart without values to draw', () => {
  it.each<[string, Value[]]>([
    ['no days', []],
    ['only gaps', [undefined, undefined]],
  ])('says so and draws nothing: %s', (_, values) => {
    const markup = markupOf([lineOf(values)]);
    expect(markup).toContain('No known values to draw.');
    expect(markup).not.toContain('<svg');
  });
});

describe('a line', () => {
  it('is interrupted by a gap, and a day between two gaps is a dot', () => {
    const [joined = '', dot = ''] = pathsOf(markupOf([lineOf([1, 2, undefined, 3, undefined, 4, 5])]));
    expect(joined.match(/M/g)).toHaveLength(2);
    expect(dot.match(/M/g)).toHaveLength(1);
  });

  it('never touches zero where a value is unknown', () => {
    const [joined = ''] = pathsOf(markupOf([lineOf([5, 5, undefined, 5, 5])]));
    expect(new Set(numbersIn(joined).filter((_, index) => index % 2 === 1)).size).toBe(1);
  });

  it('leaves room for missing days: nine days are nine times as wide as one', () => {
    const x = [0, 1, 10].map((days) => addDays(FIRST, days));
    const markup = markupOf([lineOf([1, 2, 3])], { x });
    const [first = 0, , second = 0, , third = 0] = numbersIn(pathsOf(markup)[0] ?? '');
    expect((third - second) / (second - first)).toBeCloseTo(9, 1);
    const widths = [...markup.matchAll(/<i [^>]*?(?: style="flex-grow:([\d.]+)")?><\/i>/g)].map(([, width = '1']) =>
      Number(width),
    );
    expect(widths).toEqual([1, 5, 5]);
  });

  it('with steps keeps its value until the next one begins, to the minute', () => {
    const budget = lineOf([90, 99, 90], { stepped: true, starts: [0, 1.5, 1.75], texts: ['90.00 EUR', '99.00 EUR'] });
    const markup = markupOf([budget], { x: daysFrom(FIRST, 2) });
    const [x0, y0, x1, , y1, x2, , y2, x3] = numbersIn(pathsOf(markup)[0] ?? '');
    expect([x0, x1, x2, x3]).toEqual([0, 750, 875, 1000]);
    expect(y0).toBe(y2);
    expect(y1).toBeLessThan(y0 ?? 0);
  });
});

describe('the scale', () => {
  it.each<[string, Value[], string[]]>([
    ['begins at zero', [90, 105], ['120', '100', '80', '60', '40', '20', '0']],
    ['goes below zero for refunds', [-30, 10], ['10', '0', '−10', '−20', '−30']],
    ['has whole numbers for counts', [0, 1, 2], ['2', '1', '0']],
    ['has fractions for fractions', [0.012, 0.004], ['0.012', '0.01', '0.008', '0.006', '0.004', '0.002', '0']],
    ['shortens millions', [1_200_000], ['1.2M', '1M', '800K', '600K', '400K', '200K', '0']],
    ['stands on zero if all values are zero', [0, 0], ['1', '0']],
    ['draws tiny values as zero', [5e-324], ['0.000000001', '0']],
  ])('%s', (_, values, ticks) => {
    expect(ticksOf(markupOf([lineOf(values)]))).toEqual(ticks);
  });

  it('lets bars of refunds hang from zero', () => {
    const [path = ''] = pathsOf(markupOf([lineOf([-10, 10], { bars: true })]));
    const [, foot, head, , back] = numbersIn(path);
    expect(foot).toBe(back);
    expect(head).toBeGreaterThan(foot ?? 0);
  });
});

describe('the days below a chart', () => {
  it.each<[string, number, string[]]>([
    ['one day', 1, ['27 Nov']],
    ['a week', 7, ['27 Nov', '28', '29', '30', '1 Dec', '2', '3']],
    ['a month', 30, ['27 Nov', '1 Dec', '5 Dec', '9', '13', '17', '21', '25']],
    ['a year', 365, ['Dec', 'Feb', 'Apr', 'Jun', 'Aug', 'Oct']],
    ['ten years', 3653, ['2027', '2029', '2031']],
  ])('name the month where it begins, also if a phone shows every second label: %s', (_, count, labels) => {
    const found = labelsOf(markupOf([lineOf(daysFrom(FIRST, count).map(() => 1))]));
    expect(found.slice(0, labels.length)).toEqual(labels);
    expect(found.length).toBeLessThanOrEqual(10);
  });

  it('end, although a result goes to the last year there is', () => {
    const x = [civilDate('0000-01-01'), civilDate('9999-12-31')];
    expect(labelsOf(markupOf([lineOf([1, 2])], { x })).length).toBeLessThanOrEqual(10);
  });
});

describe('the tips of a chart', () => {
  it('have the weekday and the exact texts of all series, not the drawn numbers', () => {
    const amounts = [331_960_000n, 9_007_199_254_740_993n * 1_000_000n, undefined];
    const markup = markupOf([
      { name: 'spent', ...drawnMoney(amounts, 'EUR') },
      { name: 'clicks', values: [1234, 5, undefined] },
    ]);
    expect(tipsOf(markup)).toEqual([
      'Fri 27 Nov\n331.96 EUR spent\n1,234 clicks',
      'Sat 28 Nov\n9,007,199,254,740,993.00 EUR spent\n5 clicks',
      'Sun 29 Nov\nno value',
    ]);
    expect(markup).toContain('>9,007,199,254,740,993.00 EUR</td>');
  });

  it('take at most 130 bytes for a day of two amounts in a year', () => {
    const days = daysFrom(FIRST, 396);
    const money = drawnMoney(
      days.map((_, index) => BigInt(index) * 1_234_560_000n),
      'JPY',
    );
    const markup = markupOf([
      { name: 'Spend per day', ...money },
      { name: 'Daily budget', ...money },
    ]);
    expect(tipsOf(markup)).toHaveLength(396);
    expect(tipsOf(markup)[395]).toContain('27 Dec 2027');
    const { length } = (markup.match(/<i data-tip[^>]*><\/i>/g) ?? []).join('');
    expect(length / 396).toBeLessThanOrEqual(130);
  });
});

describe('a mark', () => {
  const words = 'B3, undo of B2: 99.00 EUR → 90.00 EUR';
  const marked = (href?: string) =>
    markupOf([
      lineOf([99, 90], { marks: [{ index: 1, words, label: 'B3', ...(href === undefined ? {} : { href }) }] }),
    ]);

  it('leads to its change, and has its words for everybody', () => {
    expect(marked('#B3')).toMatch(new RegExp(`<a class="mark [^>]* aria-label="${words}" href="#B3"><b>B3</b></a>`));
  });

  it('without an address is a picture with a name', () => {
    expect(marked()).toMatch(new RegExp(`<span class="mark [^>]* aria-label="${words}" role="img">`));
  });

  it('of a gap is not drawn', () => {
    const gap = lineOf([99, undefined], { marks: [{ index: 1, words }] });
    expect(markupOf([gap])).not.toContain('class="mark');
  });

  it('has no label among many, because labels would cover each other', () => {
    const values = Array.from({ length: 60 }, (_, index) => index);
    const many = lineOf(values, { marks: values.map((index) => ({ index, words, label: `B${index}` })) });
    expect(markupOf([many])).not.toContain('<b>');
  });
});

describe('the words at the ends of lines', () => {
  const endsOf = (values: readonly number[]) => {
    const series = values.map((value, index) =>
      lineOf([0, value], { end: { value: `${value}`, word: `end ${index}` } }),
    );
    return [...markupOf(series).matchAll(/style="top:([\d.-]+)%"><b>(\d+)</g)].map(([, top, value]) => [
      Number(value),
      Number(top),
    ]);
  };

  it.each([
    ['that nearly meet', [1000, 999, 998]],
    ['at zero', [0, 0, 0]],
    ['in the middle', [1000, 500, 501]],
  ])('never cover each other: lines %s', (_, values) => {
    const tops = endsOf(values).map(([, top]) => top ?? 0);
    expect(tops).toHaveLength(3);
    for (const [index, top] of tops.entries()) {
      expect(top).toBeLessThanOrEqual(100);
      if (index > 0) expect(top - (tops[index - 1] ?? 0)).toBeGreaterThanOrEqual(12.99);
    }
  });
});

describe('the key of a chart', () => {
  it('has a switch for each of several series, and none for a single one', () => {
    const two = markupOf([lineOf([1, 2]), { name: 'ideal', values: [1, 2], dashed: true }]);
    expect(two.match(/<label><input type="checkbox" checked class="s\d \w+ chart-\d">\w+<\/label>/g)).toHaveLength(2);
    expect(markupOf([lineOf([1, 2])])).not.toContain('<input');
  });
});

describe('a chart', () => {
  it('has its title and summary as label, and a table', () => {
    expect(markupOf([lineOf([1, 2])])).toContain('role="img" aria-label="Spend. Some days."');
    expect(markupOf([lineOf([1, 2])])).toContain('<summary>Table: Spend</summary>');
  });

  it('is the same each time, without ids shared with other charts', () => {
    expect(markupOf([lineOf([1, 2])])).toBe(markupOf([lineOf([1, 2])]));
    expect(markupOf([lineOf([1, 2])])).not.toContain(' id=');
  });

  it('names weekdays as they are', () => {
    const x = ['Mon', 'Tue', 'Wed'];
    const { markup } = chart({
      title: 'Means',
      summary: '',
      unit: '',
      x,
      series: [lineOf([1, 2, 3], { bars: true })],
      table: html``,
    });
    expect(labelsOf(markup)).toEqual(x);
  });
});

describe('a small chart', () => {
  const small = (values: readonly Value[]) =>
    smallChart({ title: 'Clicks', summary: 'Fell.', series: [lineOf(values)] }).markup;

  it('shows the shape of the values, also of equal ones and without any', () => {
    expect(numbersIn(pathsOf(small([100, 101]))[0] ?? '')).toEqual([21, 26, 63, 0]);
    expect(numbersIn(pathsOf(small([7, 7]))[0] ?? '')).toEqual([21, 13, 63, 13]);
    expect(pathsOf(small([undefined, undefined]))).toEqual([]);
  });

  it.each<[string, number, number[][]]>([
    ['all of it, if no day is final', -1, [[14, 26, 42, 13, 70, 0]]],
    ['all of it after the first day', 0, [[14, 26, 42, 13, 70, 0]]],
    [
      'its end',
      1,
      [
        [14, 26, 42, 13],
        [42, 13, 70, 0],
      ],
    ],
    ['nothing, if the last day is final', 2, [[14, 26, 42, 13, 70, 0]]],
  ])('is pale where values are not final: %s', (_, paleFrom, lines) => {
    const { markup } = smallChart({ title: 'Spend', summary: '', series: [lineOf([1, 2, 3], { paleFrom })] });
    expect(pathsOf(markup).map(numbersIn)).toEqual(lines);
    expect(markup.split('stroke-opacity').length - 1).toBe(paleFrom < 2 ? 1 : 0);
  });
});

describe('a picture', () => {
  const series = [lineOf([1, 2], { marks: [{ index: 1, words: 'x' }], end: { value: '2', word: 'at last' } })];
  const part = { title: 'Spend', summary: 'Two days.', unit: 'EUR', height: 200, x: daysFrom(FIRST, 2), series };

  it('has all its words and colours in itself', () => {
    const svg = dayPicture('Account <b>', [part]);
    for (const text of ['Account &lt;b&gt;', 'Spend, EUR', 'spent', '27 Nov', '28', '2</tspan> at last'])
      expect(svg).toContain(text);
    expect(svg).toContain('<circle');
    expect(svg).not.toMatch(/var\(|<style|NaN|undefined/);
  });

  it('puts a long key on several lines, so that no name leaves the picture', () => {
    const names = ['万年筆と手帳の季節限定キャンペーン', 'Regenjacken-Ausverkauf Übergrößen', 'x'.repeat(300)];
    const svg = dayPicture('Long', [{ ...part, series: names.map((name) => lineOf([1, 2], { name })) }]);
    expect(
      new Set([...svg.matchAll(/<g transform="translate\([\d.]+ (\d+)\)"><path d="M0 -4/g)].map(([, y]) => y)).size,
    ).toBe(2);
  });
});
