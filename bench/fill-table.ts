import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { addDays } from '../src/domain/civil-date.ts';
import { WINDOW } from './bench-query.ts';
import { addTotals, NO_ROWS, type Totals } from './totals.ts';
import { withLoad, withResponse } from './with-response.ts';

/** A closed state database whose query table holds the days before {@link WINDOW}. */
export interface FilledTable {
  readonly database: string;
  readonly totals: Totals;
}

/**
 * Fills a table as a history of years does: by the product's own extraction, one window of days after another, oldest
 * first, `rows` rows each until there are `tableRows`. So the table is what the product makes of it, whatever its shape.
 */
export async function fillTable(folder: string, rows: number, tableRows: number): Promise<FilledTable> {
  const own = join(folder, 'filled');
  mkdirSync(own);
  const database = join(own, 'state.sqlite');
  let totals = NO_ROWS;
  const count = Math.ceil(tableRows / rows);
  for (let left = count; left > 0; left -= 1) {
    const window = { ...WINDOW, today: addDays(WINDOW.today, -left * WINDOW.days) };
    await withResponse(own, Math.min(rows, tableRows - Number(totals.rows)), window, async (response) => {
      await withLoad(response, (load) => load('extract', database, { before: totals }));
      totals = addTotals(totals, response.totals);
    });
    process.stderr.write(`filled ${totals.rows} rows of ${tableRows}\n`);
  }
  return { database, totals };
}
