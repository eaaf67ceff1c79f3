import type { PublishedTable } from './published-table.ts';
import { questionsOn } from './questions.ts';

/**
 * Units are in the descriptions, because Datasette 1 removed its setting `units`.
 * https://docs.datasette.io/en/stable/metadata.html
 */
export function datasetteMetadata(tables: readonly PublishedTable[], asOf: string): string {
  const described = tables.map(({ name, description, columns }) => [
    name,
    {
      description,
      columns: Object.fromEntries(
        columns.map((column) => [
          column.name,
          column.unit === undefined ? column.description : `${column.description} Unit: ${column.unit}.`,
        ]),
      ),
    },
  ]);
  const queries = questionsOn(tables).map(({ name, title, sql }) => [name, { title, sql }]);
  const metadata = {
    title: 'pacekeeper',
    description: `Search-advertising statistics and budget changes, published ${asOf}.`,
    databases: { warehouse: { tables: Object.fromEntries(described), queries: Object.fromEntries(queries) } },
  };
  return `${JSON.stringify(metadata, null, 2)}\n`;
}
