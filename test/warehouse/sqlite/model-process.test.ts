import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PublishedTable } from '../../../src/storage/warehouse/publish/published-table.ts';
import { ModelProcess } from '../../../src/storage/warehouse/sqlite/model-process.ts';
import { putUnusedState } from '../../support/state.ts';
import { tempDir } from '../../support/temp-dir.ts';

const GENEROUS = { maxRows: 1000, maxSeconds: 600, maxMemoryMb: 4096 };
const NUMBERS = 'WITH n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)';

/** These are the ends of the process, which no command shows one by one. */
async function computing(limits: Partial<typeof GENEROUS>) {
  const folder = tempDir();
  const statePath = await putUnusedState(folder);
  const path = join(folder, 'next.sqlite');
  const file = new Database(path);
  file.exec(
    'CREATE TABLE data_dictionary (table_name, column_name, type, unit, description, exact, table_group, deprecated, source, read_by)',
  );
  const process = new ModelProcess(statePath, { ...GENEROUS, ...limits });
  onTestFinished(() => process.close());
  const compute = (sql: string) =>
    process
      .compute<PublishedTable>({
        kind: 'table',
        path,
        model: { name: 'm', description: '', columns: [] },
        sql,
        readers: [],
      })
      .then(
        ({ name }) => name,
        (error: unknown) => `${error}`,
      );
  return compute;
}

describe('the process that computes models', () => {
  it.each([
    [
      'time',
      { maxSeconds: 1 },
      `${NUMBERS} SELECT count(*) FROM n`,
      'it takes more than 1 s, the limit in models.max_seconds',
    ],
    [
      'memory',
      { maxMemoryMb: 256 },
      'SELECT length(hex(zeroblob(400000000)))',
      'it needs more than 256 MiB of memory, the limit in models.max_memory_mb',
    ],
    ['rows', { maxRows: 9 }, `${NUMBERS} SELECT x FROM n`, 'it has more than 9 rows, the limit in models.max_rows'],
  ])('stops a model at the limit of %s, and computes the next one', async (_, limits, sql, words) => {
    const compute = await computing(limits);
    expect(await compute(sql)).toBe(`BeyondLimit: ${words}`);
    expect(await compute('SELECT no_such_column')).toBe('ModelFailure: no such column: no_such_column');
  });
});
