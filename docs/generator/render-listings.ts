import { LISTINGS } from '../../src/commands/listings.ts';
import { isFor } from '../../src/storage/columns/column.ts';
import { type Listing, partsFor } from '../../src/views/kit/listing.ts';
import { joinedColumns } from '../../src/views/kit/sheet.ts';
import { wrapText } from '../../src/views/text/text-layout.ts';
import { code, plain, renderTerms, type Term } from './markdown.ts';

const WIDTH = 100;

interface Described {
  readonly key: string;
  readonly meaning: string;
}

/** The columns with the same meaning in several listings, then each listing with its own. */
export function renderListings(): string {
  const described = LISTINGS.map((listing) => ({ listing, columns: columnsOf(listing) }));
  const all = described.flatMap(({ columns }) => columns);
  const isShared = (column: Described) => all.filter((one) => isSame(one, column)).length > 1;
  const shared = all.filter((column, at) => isShared(column) && all.findIndex((one) => isSame(one, column)) === at);
  return [
    '### Shared columns',
    'These columns mean the same in every listing that names them.\n\nBelow, `silence: …` gives the meaning of a column in rows where the column `row` is `silence`.',
    renderTerms(shared.toSorted(byKey).map(termOf)),
    ...described.map(({ listing, columns }, at) => {
      const keys = keysOf(columns.filter(isShared));
      const same = described.slice(0, at).find((other) => keysOf(other.columns.filter(isShared)) === keys);
      const own = columns.filter((column) => !isShared(column));
      return renderListing(listing, own, keys === '' || !same ? keys : `those of ${code(same.listing.name)}`);
    }),
  ].join('\n\n');
}

const isSame = (one: Described, other: Described) => one.key === other.key && one.meaning === other.meaning;
const byKey = (one: Described, other: Described) => (one.key < other.key ? -1 : 1);
const termOf = ({ key, meaning }: Described): Term => [code(key), withoutArticle(meaning)];

/** A list needs no article before each noun phrase. */
const withoutArticle = (meaning: string): string =>
  meaning.replace(/(^|`: )The (?!\S*['’]s )(\S)/g, (_, before: string, first: string) => before + first.toUpperCase());

const keysOf = (columns: readonly Described[]): string => columns.map(({ key }) => code(key)).join(', ');

function renderListing(
  { name, about, evident = [] }: Listing<never>,
  own: readonly Described[],
  shared: string,
): string {
  const { named = [], explained = [] } = Object.groupBy(own, ({ key }) =>
    evident.includes(key) ? 'named' : 'explained',
  );
  return [
    `### pacekeeper ${name}`,
    wrapText(named.length === 0 ? about : `${about} Self-explanatory: ${keysOf(named)}.`, WIDTH, '', ''),
    renderTerms(explained.map(termOf)),
    shared === '' ? '' : wrapText(`[Shared columns](#shared-columns): ${shared}.`, WIDTH, '', ''),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Without the column `row`, whose values the text above the table explains. */
function columnsOf(listing: Listing<never>): Described[] {
  const columns = joinedColumns(listing, 'rows').map(({ key }) => ({ key, meaning: meaningOf(key, listing) }));
  const names = partsFor(listing.parts, 'rows').flatMap(({ row }) => row ?? []);
  const lost = names.filter((name) => !listing.about.includes(code(name)));
  if (lost.length > 0) throw new Error(`The text about ${listing.name} does not explain the rows ${lost.join(', ')}.`);
  return listing.about.includes(code('row')) ? columns.filter(({ key }) => key !== 'row') : columns;
}

/** The meaning of a column: once, and again for each part in which it means something else. */
function meaningOf(key: string, listing: Listing<never>): string {
  const found = partsFor(listing.parts, 'rows').flatMap(({ row = '', columns }) =>
    columns.filter((column) => column.key === key && isFor(column, 'rows')).map(({ meaning }) => ({ row, meaning })),
  );
  const meanings = found.map(({ meaning }) => meaning);
  const sentences = found.flatMap(({ meaning }, index) => {
    if (meanings.indexOf(meaning) < index) return [];
    if (index === 0) return meaning;
    const rows = found.filter((one) => one.meaning === meaning).map((one) => code(one.row));
    return `${rows.join(', ')}: ${meaning}`;
  });
  return plain(sentences.join(' '));
}
