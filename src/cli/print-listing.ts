import { type ListingRow, renderListing } from '../report/listing.ts';
import { LISTING_COLUMNS, type ListingName } from '../report/listing-columns.ts';
import type { TextLayout } from '../report/text-layout.ts';
import { type Output, textLayout } from './output.ts';

export type ListingFormat = 'table' | 'json' | 'csv' | 'ndjson';

/** What a listing is in each format. `json` is the whole answer, `rows` its rows as docs/output.md names their columns. */
export interface Listed {
  table(layout: TextLayout): string;
  json(): string;
  rows(): readonly object[];
}

/** A listing as text that ends with one line break. */
export function listingText(output: Output, format: ListingFormat, name: ListingName, listed: Listed): string {
  if (format === 'table' || format === 'json') {
    const text = format === 'json' ? listed.json() : listed.table(textLayout(output));
    return text.endsWith('\n') ? text : `${text}\n`;
  }
  return renderListing(LISTING_COLUMNS[name], listed.rows() as readonly ListingRow[], format);
}

export function printListing(output: Output, format: ListingFormat, name: ListingName, listed: Listed): void {
  output.stdout.write(listingText(output, format, name, listed));
}
