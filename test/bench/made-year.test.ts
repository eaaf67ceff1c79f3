import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeYear } from '../../bench/made-year.ts';
import { readMarketFile } from '../../src/sandbox/market/replay-market.ts';
import { tempDir } from '../support/temp-dir.ts';

it('is the same each time, and the sandbox can replay it', async () => {
  const [one, other] = ['one', 'other'].map((name) => join(tempDir(), name)) as [string, string];
  for (const file of [one, other]) writeYear(file, 2);
  expect(readFileSync(one).equals(readFileSync(other))).toBe(true);
  const { dates, keyword, impressions } = await readMarketFile(one);
  expect(dates).toHaveLength(366);
  expect(keyword.length).toBeGreaterThan(366 * 10);
  expect(Math.min(...impressions)).toBeGreaterThan(0);
});
