import { describe, expect, it } from 'vitest';
import { styleSheet, THEMES, type Theme } from '../../src/views/html/document.ts';

const TEXT: readonly (keyof Theme)[] = ['ink', 'muted', 'link', 'good', 'warn', 'bad'];
const DRAWN: readonly (keyof Theme)[] = ['c1', 'c2', 'c3', 'c4', 'muted', 'warn', 'bad', 'link'];

describe.each(['light', 'dark'] as const)('the %s theme', (name) => {
  const theme = THEMES[name];

  it.each(TEXT)('has readable %s on paper and on raised surfaces (4.5:1)', (colour) => {
    expect(contrast(theme[colour], theme.paper)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(theme[colour], theme.raised)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(DRAWN)('draws visible %s (3:1)', (colour) => {
    expect(contrast(theme[colour], theme.paper)).toBeGreaterThanOrEqual(3);
  });

  it('has readable buttons', () => {
    expect(contrast(theme.paper, theme.link)).toBeGreaterThanOrEqual(4.5);
  });
});

it('uses only colours of the themes', () => {
  const rules = styleSheet().slice(styleSheet().indexOf('*{'));
  expect(rules).not.toMatch(/#[0-9a-f]{3,8}\b|rgb|hsl/i);
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
