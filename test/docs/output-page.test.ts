import { describe, expect, it } from 'vitest';
import { LISTINGS } from '../../src/commands/listings.ts';
import { joinedColumns } from '../../src/views/kit/sheet.ts';
import { commandTree, formatsOf } from '../commands/command-tree.ts';

const TREE = commandTree();

/** What takes --format and lists nothing: each tells of one thing, or of a run. */
const NO_LISTINGS = [
  'agents propose',
  'agents withdraw',
  'alerts deliver',
  'alerts silence',
  'alerts test',
  'audit verify',
  'budgets approve',
  'budgets reconcile',
  'budgets reject',
  'budgets show',
  'budgets undo',
  'check',
  'container login',
  'container status',
  'extract',
  'forget',
  'freeze',
  'graph diagnose-pages',
  'graph revoke',
  'graph send',
  'messages send',
  'migrate-store',
  'report',
  'rules explain',
  'simulate',
  'unfreeze',
  'watch',
];

describe('every command that takes --format', () => {
  it('is a listing with four formats, or a known exception; pacing also has a page', () => {
    const taking = TREE.filter((one) => formatsOf(one) !== undefined);
    const listings = taking.filter((one) => /^table,json,csv,ndjson,xlsx(,html)?$/.test(formatsOf(one)?.join() ?? ''));
    expect(listings.map(({ name }) => name).sort()).toEqual(LISTINGS.map(({ name }) => name).sort());
    const others = taking.filter((one) => !listings.includes(one)).map(({ name }) => name);
    expect(others.sort()).toEqual(NO_LISTINGS);
  });

  it('has snake-case columns, each with a one-sentence meaning', () => {
    for (const column of LISTINGS.flatMap((listing) => joinedColumns(listing, 'rows'))) {
      expect(column.key).toMatch(/^[a-z]+(_[a-z]+)*$/);
      if (column.key !== 'row') expect(column.meaning, column.key).toMatch(/\.$/);
    }
  });
});
