import { jsonListing } from '../../views/kit/json.ts';
import type { Listing } from '../../views/kit/listing.ts';
import { rowsListing } from '../../views/kit/rows.ts';
import { terminalListing } from '../../views/kit/terminal.ts';
import { toJson } from '../../views/text/to-json.ts';
import { type Output, textLayout } from './output.ts';

export function jsonOrText(format: 'table' | 'json', json: unknown, text: string): string {
  return `${format === 'json' ? toJson(json) : text}\n`;
}

export type ListingFormat = 'table' | 'json' | 'csv' | 'ndjson';

export function listingIn<Answer>(
  format: ListingFormat,
  listing: Listing<Answer>,
  answer: Answer,
  output: Output,
): string {
  if (format === 'table') return terminalListing(listing, answer, textLayout(output));
  return format === 'json' ? jsonListing(listing, answer) : rowsListing(listing, answer, format);
}
