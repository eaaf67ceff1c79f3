import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { onFiles } from './folder-store.ts';
import type { Product } from './product.ts';

/** Somebody alters the record past its guards, which stay. */
export function alter(product: Product, ...statements: readonly string[]): void {
  if (onFiles) alterFile(product, statements);
  else product.execute('SET session_replication_role = replica', ...statements);
}

function alterFile(product: Product, statements: readonly string[]): void {
  const guards = product.rows(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'budget_event%'",
  );
  const off = guards.map(({ name }) => `DROP TRIGGER ${name}`);
  const on = guards.map(({ sql }) => String(sql));
  product.execute('PRAGMA foreign_keys = OFF', ...off, ...statements, ...on);
  // The published copy would show it as well.
  rmSync(join(product.folder, 'data', 'warehouse.sqlite'));
}
