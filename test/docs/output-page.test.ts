import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LISTING_COLUMNS, type ListingName } from '../../src/report/listing-columns.ts';
import { LISTINGS } from '../../src/views/listings.ts';
import { joinedColumns } from '../../src/views/sheet.ts';
import { commandTree, formatsOf } from '../cli/command-tree.ts';

const PAGE = readFileSync('docs/output.md', 'utf8');
const TREE = commandTree();
const BY_HAND = Object.keys(LISTING_COLUMNS) as ListingName[];

/** The names in the first column of the table below the heading. */
function documented(heading: string): string[] {
  const part = PAGE.split(`### ${heading}\n`)[1]?.split(/^##/m)[0] ?? '';
  return [...part.matchAll(/^\| `(\w+)` \|/gm)].flatMap(([, name]) => name ?? []);
}

/** What takes --format and lists nothing: each tells of one thing, or of a run. */
const NO_LISTINGS = [
  ...['alerts deliver', 'alerts silence', 'alerts test', 'audit verify', 'budgets approve', 'budgets reconcile'],
  ...['budgets reject', 'budgets show', 'budgets undo', 'check', 'container login', 'container status', 'extract'],
  ...['freeze', 'graph diagnose-pages', 'graph revoke', 'graph send', 'messages send', 'report', 'rules explain'],
  ...['simulate', 'unfreeze'],
];

describe('every command that takes --format', () => {
  it('is a listing with the four formats, of which pacing has a page besides, or known to be none', () => {
    const taking = TREE.filter((one) => formatsOf(one) !== undefined);
    const listings = taking.filter((one) => /^table,json,csv,ndjson(,html)?$/.test(formatsOf(one)?.join() ?? ''));
    const names = [...BY_HAND, ...LISTINGS.map(({ name }) => name)];
    expect(listings.map(({ name }) => name).sort()).toEqual(names.sort());
    const others = taking.filter((one) => !listings.includes(one)).map(({ name }) => name);
    expect(others.sort()).toEqual(NO_LISTINGS);
  });

  it.each(BY_HAND)('%s has the columns that the page says, in that order', (name) => {
    expect(documented(`pacekeeper ${name}`)).toEqual([...LISTING_COLUMNS[name]]);
  });

  it('has columns in snake case, each with a sentence that says what it holds', () => {
    for (const column of LISTINGS.flatMap((listing) => joinedColumns(listing, 'rows'))) {
      expect(column.key).toMatch(/^[a-z]+(_[a-z]+)*$/);
      if (column.key !== 'row') expect(column.meaning, column.key).toMatch(/\.$/);
    }
  });
});
