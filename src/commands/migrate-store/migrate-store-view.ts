import { number, text } from '../../storage/columns/column.ts';
import { headText } from '../../storage/records/budgets/record-head.ts';
import { type Listing, memberPart } from '../../views/kit/listing.ts';
import { count } from '../../views/text/text-layout.ts';
import type { MovedStore } from './move-store.ts';
import type { MovedTally } from './move-tables.ts';

export const MIGRATE_STORE: Listing<MovedStore> = {
  name: 'migrate-store',
  about: 'One row per table that moved. The rows in both places are equal.',
  none: 'All tables had arrived before.',
  json: ({ from, to, head, kept }) => ({ from, to, head: headText(head), kept: kept ?? null }),
  after: sentencesOf,
  parts: [
    memberPart('tables', {
      title: 'Tables',
      columns: [
        text<'table', MovedTally>('table', 'The table.', 'table', { title: 'Table' }),
        number('rows', 'The number of rows.', 'rows', { title: 'Rows' }),
        text('checksum', 'Equal rows in any order give the same text.', 'checksum', { title: 'Checksum' }),
      ],
    }),
  ],
};

function sentencesOf({ from, to, tables, head, kept, isDryRun }: MovedStore): readonly string[] {
  if (isDryRun) return [`Dry run: ${from} can move to ${to}. Nothing was changed.`];
  return [
    `The records moved from ${from} to ${to}. ${count(tables.length, 'table')} were compared and are equal. The audit trail is sound. Head: ${headText(head)}`,
    kept === undefined
      ? `The old records in ${from} stay as a backup, but no command uses them. The dashboard's tokens moved, too.`
      : `The old records stay as a backup in ${kept}, but no command uses them. warehouse.sqlite was removed, because its numbers would become old. BI tools read the schema warehouse. pacekeeper publish --to sqlite FILE writes a file.`,
  ];
}
