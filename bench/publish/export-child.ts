import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { loadDescriptions } from '../../src/config/load-catalogue.ts';
import { openState } from '../../src/storage/records/sqlite/open-state.ts';
import { exportParquet } from '../../src/storage/warehouse/publish/export-parquet.ts';
import { publishWarehouse } from '../../src/storage/warehouse/sqlite/publish.ts';
import { openTables } from '../../src/storage/warehouse/sqlite/published-file.ts';
import { measure, readJob } from '../measurement.ts';
import { benchQuery, noonMs, TODAY } from '../query.ts';
import type { CopyJob } from './publish.ts';

interface Manifest {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
}

/** `export-child.js JOB`: writes a folder of Parquet files. The publication before it counts for the memory, not for the time. */
const { fields } = loadDescriptions('v25');
const { database, into, expected } = readJob<CopyJob>();
const state = await openState(database);
const path = join(into, 'warehouse.sqlite');
const { tables } = await publishWarehouse(state, {
  path,
  nowMs: noonMs(TODAY),
  describe: (field) => fields[field],
});
await state.close();
const warehouse = openTables(path);
const folder = join(into, 'tables');
await measure(
  async () => {
    await exportParquet(warehouse, tables, folder, async () => void (await turn()));
  },
  () => {
    const written = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
    const rows = written.tables.find(({ name }) => name === benchQuery().name)?.rows;
    if (rows !== Number(expected.rows)) throw new Error(`${rows} rows were written, expected ${expected.rows}.`);
  },
);
warehouse.close();
