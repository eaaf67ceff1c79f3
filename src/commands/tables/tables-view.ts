import { type Column, id, list, text } from '../../storage/columns/column.ts';
import { type Named, namedWords } from '../../storage/warehouse/publish/lineage.ts';
import { oneList } from '../../views/kit/listing.ts';
import { count } from '../../views/text/text-layout.ts';

export interface TableLineage {
  readonly name: string;
  /** The group of a table without a file. */
  readonly kind: 'query' | 'model' | 'statistics' | 'record' | 'calendar';
  readonly file: string | undefined;
  readonly reads: readonly Named[];
  readonly readBy: readonly Named[];
}

/** People see each name on a line of its own below the row. */
function names(
  key: string,
  words: string,
  meaning: string,
  of: (table: TableLineage) => readonly Named[],
): Column<TableLineage> {
  return list(key, meaning, (table) => of(table).map(namedWords), {
    title: words,
    long: 'lines',
    shown: (table) =>
      of(table)
        .map((one) => `${words} ${namedWords(one)}`)
        .join('\n'),
    nested: (table) => of(table).map(({ kind, name }) => ({ kind, name })),
  });
}

export const TABLES = oneList<TableLineage>({
  name: 'tables',
  about: 'One row per published table. In JSON, `reads` and `read_by` are lists of `{ kind, name }`.',
  columns: [
    id('name', 'The table.', 'name', { title: 'Table' }),
    text('kind', '`query` or `model`. Other tables have their group: `statistics`, `record` or `calendar`.', 'kind', {
      title: 'Kind',
    }),
    text('file', 'The file of the query or model.', 'file', { title: 'File' }),
    names(
      'reads',
      'reads',
      'The queries and models that it is made from, also through models. `v_campaign_day` shows the one with most clicks.',
      ({ reads }) => reads,
    ),
    names(
      'read_by',
      'read by',
      'The models, tests, rules, targets and questions of `/explore` that read it, also through models.',
      ({ readBy }) => readBy,
    ),
  ],
  after: (tables) => [`${count(tables.length, 'table')}.`],
});
