import type { FileFindings } from '../../engine/load-inputs.ts';
import type { QueryFile } from '../../language/gaql/query-file.ts';
import { queryColumns } from '../../storage/warehouse/publish/published-query.ts';
import type { TextLayout } from '../../views/text/text-layout.ts';
import { textTable } from '../../views/text/text-table.ts';

export function schemaOf({ query }: FileFindings) {
  if (!query) return null;
  return {
    table: query.name,
    description: query.description,
    key: query.key,
    columns: queryColumns({ ...query, resource: undefined }, () => undefined).map(({ name, declared }) => ({
      name,
      type: declared,
      from: sourceOf(name, query),
    })),
  };
}

function sourceOf(name: string, { columns }: QueryFile): string {
  const own = columns.find((column) => column.name === name);
  if (own) return own.field;
  const inMicros = columns.find((column) => column.name === `${name}_micros`);
  return inMicros ? `${inMicros.field} / 1000000` : 'the account';
}

export function renderSchemas(findings: readonly FileFindings[], layout: TextLayout): string {
  return findings.map((file) => renderSchema(file, layout)).join('');
}

function renderSchema(file: FileFindings, layout: TextLayout): string {
  const schema = schemaOf(file);
  if (!schema) return '';
  const head = [`${file.file} fills the table ${schema.table}`];
  if (schema.description !== '') head.push(...schema.description.split('\n').map((line) => `  ${line}`));
  head.push(schema.key.length > 0 ? `  key: ${schema.key.join(', ')}` : '  no key: rows cannot be identified');
  const columns = [
    { title: 'column', align: 'left' },
    { title: 'type', align: 'left' },
    { title: 'from', align: 'left', flexible: true },
  ] as const;
  const rows = schema.columns.map(({ name, type, from }) => [name, type, from]);
  return `${[...head, '', textTable(columns, rows, layout)].join('\n')}\n\n`;
}
