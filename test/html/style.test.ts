import { describe, expect, it } from 'vitest';
import { styleSheet } from '../../src/views/html/style-sheet.ts';
import { THEMES, type Theme } from '../../src/views/html/tokens.ts';

const GROUNDS: readonly (keyof Theme)[] = ['bg', 'surface', 'sunken'];
const TEXT: readonly (keyof Theme)[] = ['text', 'text-2', 'text-3', 'accent', 'red', 'amber', 'green'];
const DRAWN: readonly (keyof Theme)[] = ['chart-1', 'chart-2', 'chart-3', 'chart-4', 'line-2'];
const TINTED: readonly (readonly [keyof Theme, keyof Theme])[] = [
  ['accent', 'accent-bg'],
  ['red', 'red-bg'],
  ['amber', 'amber-bg'],
  ['green', 'green-bg'],
  ['on-accent', 'accent-solid'],
];

describe.each(['light', 'dark'] as const)('the %s theme', (name) => {
  const theme = THEMES[name];

  it.each(TEXT)('has readable %s on every ground (4.5:1)', (colour) => {
    for (const ground of GROUNDS) expect(contrast(theme[colour], theme[ground])).toBeGreaterThanOrEqual(4.5);
  });

  it.each(DRAWN)('draws visible %s (3:1)', (colour) => {
    for (const ground of GROUNDS) expect(contrast(theme[colour], theme[ground])).toBeGreaterThanOrEqual(3);
  });

  it.each(TINTED)('has readable %s on %s', (colour, ground) => {
    expect(contrast(theme[colour], theme[ground])).toBeGreaterThanOrEqual(4.5);
  });
});

it('uses only colours of the themes', () => {
  const rules = styleSheet().slice(styleSheet().indexOf('*{'));
  expect(rules).not.toMatch(/#[0-9a-f]{3,8}\b|\brgb|hsl/i);
});

/** Contrast of two colours as WCAG 2.2 defines it, from 1 to 21. */
function contrast(one: string, other: string): number {
  const [brighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (brighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
