import { type Column, isFor } from '../../storage/columns/column.ts';
import { toJson } from '../text/to-json.ts';
import { type Listing, partsFor } from './listing.ts';

export function jsonListing<Answer>({ parts, json }: Listing<Answer>, answer: Answer): string {
  const members = partsFor(parts, 'json').map((part) => {
    const objects = part.rows(answer).map((row) => jsonObject(part.columns, row));
    return [part.json, part.single ? objects[0] : objects] as const;
  });
  const [only] = members;
  if (only !== undefined && only[0] === undefined) return `${toJson(only[1])}\n`;
  return `${toJson({ ...json?.(answer), ...Object.fromEntries(members) })}\n`;
}

export function jsonObject<Row>(columns: readonly Column<Row>[], row: Row): Readonly<Record<string, unknown>> {
  const used = columns.filter((column) => isFor(column, 'json'));
  return Object.fromEntries(used.map(({ key, nested, value }) => [key, (nested ?? value)?.(row)]));
}
