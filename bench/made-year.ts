import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { daysOf } from '../src/domain/civil-date.ts';
import { civilDate } from '../src/domain/parse-civil-date.ts';
import { simulatedMarket } from '../src/sandbox/market/simulated-market.ts';

const YEAR = daysOf({ from: civilDate('2024-01-01'), to: civilDate('2024-12-31') });

/** Writes a year of a simulated account as a market file, as `pacekeeper sandbox --market` reads it: the same each time. */
export function writeYear(file: string, campaigns: number): void {
  const market = simulatedMarket(1, { kind: 'planned', campaigns }, false);
  const lines = ['date,keyword_id,impressions,clicks\n'];
  for (const date of YEAR) {
    market.spendDay(
      date,
      ({ baseAmount }) => baseAmount,
      (keyword, impressions, clicks) => {
        if (impressions > 0) lines.push(`${date},${keyword + 1},${impressions},${clicks}\n`);
      },
    );
  }
  writeFileSync(file, gzipSync(lines.join('')));
}
