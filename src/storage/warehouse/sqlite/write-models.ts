import Database from 'better-sqlite3';
import { withDatabase } from '../../records/sqlite/open-database.ts';
import type { Model, ModelColumn } from '../models/model.ts';
import type { DeclaredType, PublishedColumn, PublishedTable } from '../publish/published-table.ts';
import { identifier } from '../query-table.ts';
import { type Computation, createRows } from './limited-rows.ts';
import { describeTables } from './write-published.ts';

/** Adds the table of a model to a file that is being published. */
export interface TableOrder {
  readonly kind: 'table';
  readonly path: string;
  readonly model: Pick<Model, 'name' | 'description' | 'columns'>;
  readonly sql: string;
}

const ROWS = 'temp."rows of a model"';

/** Writes all rows, because a changed day can change any row. */
export function writeModel({ path, model, sql, ...computation }: TableOrder & Computation): PublishedTable {
  return withDatabase(new Database(path), (file) => {
    // No journal is needed, because an incomplete file is never used.
    file.pragma('journal_mode = OFF');
    file.pragma('synchronous = OFF');
    file.prepare('ATTACH ? AS state').run(computation.statePath);
    createRows(file, ROWS, sql, computation);
    const columns = model.columns.map(
      (column): PublishedColumn => ({
        name: column.name,
        declared: column.declared ?? declaredBy(file, column),
        expression: identifier(column.name),
        unit: column.unit,
        description: column.meaning,
      }),
    );
    const main = `main.${identifier(model.name)}`;
    const declarations = columns.map(({ name, declared }) => `${identifier(name)} ${declared}`);
    file.exec(`DROP TABLE IF EXISTS ${main}; CREATE TABLE ${main} (${declarations.join(', ')});
      INSERT INTO ${main} SELECT ${columns.map(({ expression }) => expression).join(', ')} FROM ${ROWS}`);
    const description = model.description || `The rows of the model ${model.name}.`;
    const table = { name: model.name, description, columns, key: [], from: '', order: '', indexes: [] };
    describeTables(file, [table]);
    file.pragma('analysis_limit = 1000');
    file.exec(`ANALYZE ${main}`);
    return table;
  });
}

/** SQLite gives a computed column no type, but BI tools need a type. */
function declaredBy(file: Database.Database, { name, type }: ModelColumn): DeclaredType {
  const types = file
    .prepare(`SELECT DISTINCT typeof(${identifier(name)}) FROM ${ROWS}`)
    .pluck()
    .all() as string[];
  if (types.some((one) => one === 'text' || one === 'blob')) return 'TEXT';
  if (types.includes('real')) return 'DOUBLE';
  if (types.includes('integer')) return 'INTEGER';
  return type === 'STRING' ? 'TEXT' : type === 'INT64' ? 'INTEGER' : 'DOUBLE';
}
