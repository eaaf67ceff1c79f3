import { InputError } from '../../domain/errors.ts';
import { jsonListing } from '../../views/kit/json.ts';
import type { Listing } from '../../views/kit/listing.ts';
import { rowsListing } from '../../views/kit/rows.ts';
import { terminalListing } from '../../views/kit/terminal.ts';
import { workbookListing } from '../../views/kit/workbook.ts';
import type { TerminalChart } from '../../views/text/terminal-chart.ts';
import { toJson } from '../../views/text/to-json.ts';
import { type Output, textLayout } from './output.ts';

export function jsonOrText(format: 'table' | 'json', json: unknown, text: string): string {
  return `${format === 'json' ? toJson(json) : text}\n`;
}

export type ListingFormat = 'table' | 'json' | 'csv' | 'ndjson' | 'xlsx';

/** Throws `InputError` if a spreadsheet would go to a terminal. */
export function listingIn<Answer>(
  format: ListingFormat,
  listing: Listing<Answer>,
  answer: Answer,
  output: Output,
  redact: (text: string) => string = (text) => text,
): string | Uint8Array {
  if (format === 'xlsx') {
    if (output.stdout.isTTY !== true) return workbookListing(listing, answer, redact);
    throw new InputError('A terminal cannot show a spreadsheet.', {
      nextStep: `Write it to a file: add > ${listing.name.replaceAll(' ', '-')}.xlsx to the command.`,
    });
  }
  if (format === 'table') return redact(terminalListing(listing, answer, textLayout(output)));
  return redact(format === 'json' ? jsonListing(listing, answer) : rowsListing(listing, answer, format));
}

const CHARTS_MAX = 3;
const WIDTH_MIN = 60;

export async function printCharts<Item>(
  output: Output,
  items: readonly Item[],
  chartOf: (item: Item) => TerminalChart,
): Promise<void> {
  const { stdout } = output;
  if (stdout.isTTY !== true || stdout.columns === undefined || stdout.columns < WIDTH_MIN) return;
  const { terminalChart } = await import('../../views/text/terminal-chart.ts');
  const layout = textLayout(output);
  const charts = items.slice(0, CHARTS_MAX).map((item) => terminalChart(chartOf(item), layout));
  for (const drawn of charts) if (drawn !== '') stdout.write(`\n${drawn}\n`);
}
