import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SET_MEMORY } from '../../bench/processes.ts';

it('measures the product with the memory setting of the program', () => {
  expect(readFileSync('src/main.ts', 'utf8')).toContain(SET_MEMORY);
});
