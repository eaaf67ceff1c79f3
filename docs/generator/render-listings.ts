import { LISTINGS } from '../../src/commands/listings.ts';
import { wrapText } from '../../src/text/text-layout.ts';
import { isFor, withoutMicros } from '../../src/views/kit/column.ts';
import { type Listing, partsFor } from '../../src/views/kit/listing.ts';
import { joinedColumns } from '../../src/views/kit/sheet.ts';
import { code, plain, renderTable } from './markdown.ts';

const WIDTH = 100;

/** Each listing with the columns of its rows. */
export function renderListings(): string {
  return LISTINGS.map(renderListing).join('\n\n');
}

function renderListing(listing: Listing<never>): string {
  const columns = joinedColumns(listing, 'rows').map(({ key }) => [code(key), holds(key, listing)]);
  return `### pacekeeper ${listing.name}\n\n${wrapText(listing.about, WIDTH, '', '')}\n\n${renderTable(['column', 'holds'], columns)}`;
}

/** The meaning of a column: once, and again for each part in which it means something else. */
function holds(key: string, listing: Listing<never>): string {
  const parts = partsFor(listing.parts, 'rows');
  const names = parts.flatMap(({ row }) => row ?? []);
  if (key === 'row' && names.length > 0) return names.map(code).join(', ');
  const found = parts.flatMap(({ row = '', columns }) =>
    columns.filter((column) => column.key === key && isFor(column, 'rows')).map((column) => ({ row, ...column })),
  );
  const meanings = found.map(({ meaning }) => meaning);
  const sentences = found.flatMap(({ row, meaning }, index) => {
    if (meanings.indexOf(meaning) < index) return [];
    return index === 0 ? meaning : `${code(row)}: ${meaning}`;
  });
  const isMoney = found.some(({ kind }) => kind === 'money');
  const beside = isMoney ? [`Micros; in CSV also ${code(withoutMicros(key))}.`] : [];
  return plain([...sentences, ...beside].join(' '));
}
