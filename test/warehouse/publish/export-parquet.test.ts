import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exportParquet } from '../../../src/storage/warehouse/publish/export-parquet.ts';
import type { PublishedTable } from '../../../src/storage/warehouse/publish/published-table.ts';
import { openTables } from '../../../src/storage/warehouse/sqlite/published-file.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { addTable, publish, type Row, stateFile } from '../published.ts';

const SPEND = 'SELECT campaign.id, segments.date, metrics.clicks, metrics.cost_micros FROM campaign';
const day = (date: string, clicks: number): Row => ({
  campaign_id: 1,
  segments_date: date,
  date,
  clicks,
  cost_micros: 5,
});

interface Manifest {
  readonly as_of: string;
  readonly publication: string;
  readonly tables: readonly {
    readonly name: string;
    readonly rows: number;
    readonly files: readonly { readonly path: string; readonly rows: number; readonly sha256: string }[];
  }[];
}

const free = async () => undefined;
const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
const filesOf = (folder: string) => manifestIn(folder).tables.flatMap(({ files }) => files);
const spendIn = (folder: string) => readdirSync(join(folder, 'spend')).sort();

/** Reads every file that the manifest names. Throws without one of them. */
function expectTrue(folder: string): void {
  for (const { path, sha256 } of filesOf(folder)) {
    expect(
      createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex'),
      path,
    ).toBe(sha256);
  }
}

async function world(...days: readonly Row[]) {
  const state = await stateFile();
  addTable(
    state,
    'spend',
    SPEND,
    days.map(({ segments_date: _, ...row }) => row),
  );
  const folder = tempDir();
  const write = async (pause: () => Promise<void> = free, change = (all: readonly PublishedTable[]) => all) => {
    // A row that was changed by hand belongs to no recorded reading, so the file is made anew.
    rmSync(state.published, { force: true });
    const { tables } = await publish(state);
    const warehouse = openTables(state.published);
    onTestFinished(() => warehouse.close());
    return exportParquet(warehouse, change(tables), folder, pause);
  };
  const setClicks = (date: string, clicks: number) =>
    state.connection.prepare('UPDATE spend SET clicks = ? WHERE date = ?').run(clicks, date);
  return { folder, write, setClicks };
}

describe('a folder of Parquet files', () => {
  it('names none but whole files after a publication was killed, and the next one removes what is left', async () => {
    const { folder, write, setClicks } = await world(day('2026-10-30', 1), day('2026-11-02', 2));
    await write();
    const before = manifestIn(folder);
    setClicks('2026-11-02', 3);
    let pauses = 0;
    const killed = async () => {
      pauses += 1;
      if (pauses > 1) throw new Error('killed');
    };
    await expect(write(killed)).rejects.toThrow('killed');
    expect(manifestIn(folder)).toEqual(before);
    expectTrue(folder);
    // A kill leaves files that nothing removed.
    writeFileSync(join(folder, 'spend', '2026-11-0123456789abcdef.parquet'), 'half');
    writeFileSync(join(folder, 'spend', '2026-11-fedcba9876543210.parquet.next'), 'half');
    await write();
    expectTrue(folder);
    expect(spendIn(folder).map((name) => name.replace(/-[0-9a-f]{16}/, ''))).toEqual([
      '2026-10.parquet',
      '2026-11.parquet',
    ]);
  });

  it('writes again only the months whose rows changed', async () => {
    const { folder, write, setClicks } = await world(day('2026-10-30', 1), day('2026-11-02', 2));
    await write();
    const [october, november] = spendIn(folder);
    setClicks('2026-11-02', 3);
    const written = await write();
    expect(written.find(({ file }) => file.endsWith('/spend'))).toMatchObject({
      rows: 2,
      files: { all: 2, written: 1 },
    });
    expect(spendIn(folder)[0]).toBe(october);
    expect(spendIn(folder)[1]).not.toBe(november);
    expect(readdirSync(join(folder, 'account'))).toHaveLength(1);
  });

  it('writes all months again if a column changed its type', async () => {
    const { folder, write } = await world(day('2026-10-30', 1), day('2026-11-02', 2));
    await write();
    const written = await write(free, (tables) =>
      tables.map((table) => ({
        ...table,
        columns: table.columns.map((column) =>
          column.name === 'clicks' ? { ...column, declared: 'DOUBLE' as const } : column,
        ),
      })),
    );
    expect(written.find(({ file }) => file.endsWith('/spend'))?.files).toEqual({ all: 2, written: 2 });
    expectTrue(folder);
  });

  it.each([
    ['lost', (path: string) => rmSync(path)],
    ['damaged', (path: string) => writeFileSync(path, 'PAR1')],
  ])('writes a file again that was %s', async (_, harm) => {
    const { folder, write } = await world(day('2026-11-02', 2));
    await write();
    const [name = ''] = spendIn(folder);
    harm(join(folder, 'spend', name));
    await write();
    expect(spendIn(folder)).toEqual([name]);
    expectTrue(folder);
  });

  it('never removes files of others, nor the folder that has them', async () => {
    const { folder, write } = await world(day('2026-11-02', 2));
    await write();
    const foreign = ['notes.txt', 'data.parquet', '2026-11.parquet'];
    for (const name of foreign) writeFileSync(join(folder, 'spend', name), 'mine');
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other', '2026-11-0123456789abcdef.parquet'), 'mine');
    await write(free, (tables) => tables.filter(({ name }) => name !== 'spend'));
    expect(spendIn(folder)).toEqual([...foreign].sort());
    expect(readdirSync(join(folder, 'other'))).toHaveLength(1);
    expect(manifestIn(folder).tables.some(({ name }) => name === 'spend')).toBe(false);
  });

  it.each(['{"name": "a web app"}', 'null', '[]', '{"format": "pacekeeper-parquet"}', 'half of a'])(
    'refuses a folder with a manifest of others: %s',
    async (text) => {
      const { folder, write } = await world(day('2026-11-02', 2));
      writeFileSync(join(folder, 'manifest.json'), text);
      await expect(write()).rejects.toThrow('manifest.json was not replaced: pacekeeper did not write it.');
      expect(readdirSync(folder)).toEqual(['manifest.json']);
      expect(readFileSync(join(folder, 'manifest.json'), 'utf8')).toBe(text);
    },
  );

  it('says which value of a model does not have the type of its column, and changes nothing', async () => {
    const { folder, write } = await world(day('2026-11-02', 2));
    await write();
    const before = manifestIn(folder);
    const wrong = write(free, (tables) =>
      tables.map((table) => ({
        ...table,
        columns: table.columns.map((column) =>
          column.name === 'currency' ? { ...column, declared: 'INTEGER' as const } : column,
        ),
      })),
    );
    await expect(wrong).rejects.toThrow('has the value "EUR", expected INTEGER.');
    expect(manifestIn(folder)).toEqual(before);
    expectTrue(folder);
  });
});
