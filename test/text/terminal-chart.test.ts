import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { type TerminalChart, terminalChart } from '../../src/views/text/terminal-chart.ts';

const DAYS = ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05'];

function linesOf(values: readonly (number | undefined)[], more: Partial<TerminalChart> = {}, width = 60): string[] {
  const series = [{ name: 'spent', values }];
  const chart = { title: 'Spend', unit: 'EUR', x: DAYS.slice(0, values.length), series, ...more };
  const text = terminalChart(chart, { width, bold: (head) => head });
  return text === '' ? [] : text.split('\n');
}

describe('a chart for a terminal', () => {
  it('has a line with the symbols, the highest, middle and lowest amount, and the days', () => {
    expect(`\n${linesOf([0, 100, 300, 200, 400]).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      Spend, EUR:  ● spent
           400┤                                              ●●●
              │                        ●                 ●●●●●
              │                    ●●●●●●●●●●●●●     ●●●●●
           200┤                ●●●●●           ●●●●●●●
              │            ●●●●●
              │    ●●●●●●●●●
             0┤●●●●●
              └┬───────────────────────┬───────────────────────┬─
      2026-11-01              2026-11-03              2026-11-05
      "
    `);
  });

  it('leaves a gap where a value is unknown, also beside a single known day', () => {
    const lines = linesOf([100, 100, undefined, undefined, 300]);
    expect(lines[1]).toMatch(/^ +300┤ {45,}●$/);
    expect(lines[7]).toMatch(/^ +100┤●{10,14}$/);
    expect(lines.slice(2, 7).join('')).not.toContain('●');
  });

  it('shows falling sums and negative amounts', () => {
    const lines = linesOf([120, 40, -80]);
    expect(lines[1]).toMatch(/^ +120┤●+$/);
    expect(lines[7]).toMatch(/^ +-80┤ +●+$/);
  });

  it.each<[words: string, values: (number | undefined)[]]>([
    ['a single day', [5]],
    ['no day', []],
    ['unknown values only', [undefined, undefined]],
    ['equal values only', [5, 5, 5]],
  ])('is left out for %s', (_words, values) => {
    expect(linesOf(values)).toEqual([]);
  });

  it('draws the first line on top where two are equal', () => {
    const series = [
      { name: 'with', values: [1, 2, 2] },
      { name: 'without', values: [1, 2, 3] },
    ];
    const drawn = linesOf([1, 2, 3], { series }).join('\n');
    expect(drawn).toContain('Spend, EUR:  ● with  · without');
    expect(drawn).toMatch(/1\.00┤●+$/m);
    expect(drawn).toMatch(/3\.00┤ +·+$/m);
  });

  it.each([60, 80, 100, 240])('fits a terminal of %i columns and at most 100, with any name', (width) => {
    const many = Array.from({ length: 366 }, (_, day) => (day % 7) * 1_234_567.891);
    const x = many.map((_, day) => DAYS[day % DAYS.length] ?? '');
    for (const title of ['東京文具店・秋のキャンペーン'.repeat(20), 'حملة الخريف', '👩‍👩‍👧‍👦 <script>\u001b[2J\n']) {
      const lines = linesOf(many, { title, x }, width);
      expect(lines.filter((line) => stringWidth(line) > width)).toEqual([]);
      expect(lines.slice(-9).filter((line) => stringWidth(line) > 100)).toEqual([]);
      // The drawing is the same below every name.
      expect(lines.slice(-9)).toEqual(linesOf(many, { x }, width).slice(-9));
      expect(lines.join('')).not.toContain('\u001b');
    }
  });
});
