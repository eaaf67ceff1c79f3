import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { damageTable } from '../../support/damage.ts';
import { createProduct } from '../../support/product.ts';
import { tablesOf } from '../../support/used-folder.ts';

/** The tables with their columns and rows, without what names an instant of the reading. */
function told(path: string): unknown {
  const file = new Database(path, { readonly: true });
  const columns = (name: string) =>
    (file.pragma(`table_info("${name}")`) as { name: string }[]).map((column) => column.name);
  const tables = Object.entries(tablesOf(path)).flatMap(([name, rows]) => {
    const names = columns(name);
    const kept = names.flatMap((column, index) => (/_at$|^run_id$/.test(column) ? [] : [index]));
    // Each publication has a name of its own.
    if (names.includes('generated_at') || names.some((column) => /publication|_uuid$/.test(column))) return [];
    const shown = rows.map((row) => JSON.stringify(kept.map((index) => String((row as unknown[])[index]))));
    return /^(run|account_day|day_status)$/.test(name) ? [] : [[name, kept.map((index) => names[index]), shown.sort()]];
  });
  file.close();
  return tables;
}

it('reads every row of a damaged warehouse again from the interface', async () => {
  const product = await createProduct();
  const { folder } = product;
  const days = ['--from', '2026-11-01', '--to', '2026-11-19'];
  expect(await product.run(['extract', ...days])).toMatchObject({ code: 0 });
  const data = join(folder, 'data');
  const fresh = join(folder, 'fresh');
  const before = told(join(data, 'warehouse.sqlite'));
  expect(JSON.stringify(before)).toContain('Generisch - Wanderschuhe');
  damageTable(join(data, 'state.sqlite'), 'stats');
  rmSync(join(data, 'warehouse.sqlite'));
  const failed = await product.run(['publish']);
  expect([failed.code, failed.stderr]).toEqual([
    1,
    expect.stringMatching(/SQLITE_CORRUPT.*\nnext step: Run pacekeeper doctor/),
  ]);
  expect(await product.run(['extract', ...days, '--data-dir', fresh])).toMatchObject({ code: 0 });
  expect(told(join(fresh, 'warehouse.sqlite'))).toEqual(before);
});
