import type Database from 'better-sqlite3';
import { InputError } from '../../domain/errors.ts';
import { type Model, type ModelColumn, selectModel } from '../models/model.ts';
import type { DeclaredType, PublishedColumn, PublishedTable } from '../publish/published-table.ts';
import { identifier } from '../query-table.ts';
import { SQLITE_NAMES } from './sqlite-names.ts';

const ROWS = 'temp."rows of a model"';

/** Writes all rows, because a changed day can change any row. Throws `InputError` if a model fails. */
export function writeModels(file: Database.Database, models: readonly Model[]): PublishedTable[] {
  return models.map((model) => {
    try {
      return writeModel(file, model);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : cause;
      const nextStep = 'Correct the model, then run pacekeeper publish.';
      throw new InputError(`the model ${model.name} failed: ${reason}`, { nextStep, cause });
    }
  });
}

function writeModel(file: Database.Database, model: Model): PublishedTable {
  const table = `main.${identifier(model.name)}`;
  file.exec(
    `DROP TABLE IF EXISTS ${table}; CREATE TEMP TABLE "rows of a model" AS ${selectModel(model, SQLITE_NAMES)}`,
  );
  const columns = model.columns.map(
    (column): PublishedColumn => ({
      name: column.name,
      declared: column.declared ?? declaredBy(file, column),
      expression: identifier(column.name),
      unit: column.unit,
      description: column.meaning,
    }),
  );
  const declarations = columns.map(({ name, declared }) => `${identifier(name)} ${declared}`);
  file.exec(`CREATE TABLE ${table} (${declarations.join(', ')});
    INSERT INTO ${table} SELECT ${columns.map(({ expression }) => expression).join(', ')} FROM ${ROWS};
    DROP TABLE ${ROWS}`);
  const description = model.description || `The rows of the model ${model.name}.`;
  return { name: model.name, description, columns, key: [], from: '', order: '', indexes: [] };
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
