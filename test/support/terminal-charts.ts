import { expect } from 'vitest';

/** The charts that a terminal shows below the text that a pipe gets, each as lines. */
export function chartsBelow(piped: string, shown: string): string[][] {
  expect(piped).not.toBe('');
  expect(shown.slice(0, piped.length)).toBe(piped);
  const below = shown.slice(piped.length).split('\n\n');
  return below.map((chart) => chart.trim().split('\n')).filter(([head]) => head !== '');
}
