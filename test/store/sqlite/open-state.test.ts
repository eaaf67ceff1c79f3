import { statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { checkTarget, claimTarget } from '../../../src/storage/records/runs/target-table.ts';
import { openState } from '../../../src/storage/records/sqlite/open-state.ts';
import { tempDir } from '../../support/temp-dir.ts';

const freshPath = () => join(tempDir(), 'inner', 'state.sqlite');

describe('state.sqlite', () => {
  it('is created with its folder, for its owner only', async () => {
    const path = freshPath();
    await (await openState(path)).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is refused if a newer version wrote it', async () => {
    const path = freshPath();
    await (await openState(path)).close();
    const file = new Database(path);
    file.exec("INSERT INTO kysely_migration VALUES ('9999-from-the-future', '2030-01-01')");
    file.close();
    await expect(openState(path)).rejects.toThrow(`${path} was written by a newer version of pacekeeper.`);
  });

  it('is refused if damaged, and the next step says what is lost', async () => {
    const path = join(tempDir(), 'state.sqlite');
    await (await openState(path)).close();
    truncateSync(path, 20_000);
    await expect(openState(path)).rejects.toMatchObject({
      message: expect.stringContaining('cannot be used as a database: database disk image is malformed'),
      nextStep:
        'Put a copy back with pacekeeper restore FILE. Without a copy, run pacekeeper adopt to take over the record of warehouse.sqlite.',
    });
  });

  it('is refused if it is not a database', async () => {
    const path = join(tempDir(), 'state.sqlite');
    writeFileSync(path, 'not a database, and long enough to be read as a header of one'.repeat(20));
    await expect(openState(path)).rejects.toThrow(/cannot be used as a database: file is not a database/);
  });

  it('reports the reason if SQLite rolls back by itself, as on a full disk', async () => {
    const state = await openState(freshPath());
    try {
      await claimTarget(state, { identity: 'sandbox (seed 1)', kind: 'sandbox' });
      const doomed = state.db.transaction().execute(async (trx) => {
        await trx.updateTable('target').set({ identity: 'half a change' }).execute();
        state.connection.exec("INSERT OR ROLLBACK INTO target VALUES (1, 'a second row of the same key', 'sandbox')");
      });
      await expect(doomed).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' });
      await checkTarget(state, 'sandbox (seed 1)');
    } finally {
      await state.close();
    }
  });

  it('belongs to the first target it is used for', async () => {
    const state = await openState(freshPath());
    try {
      await checkTarget(state, 'sandbox (seed 1)');
      await claimTarget(state, { identity: 'sandbox (seed 1)', kind: 'sandbox' });
      await claimTarget(state, { identity: 'live (https://other.example.com)', kind: 'live' });
      await checkTarget(state, 'sandbox (seed 1)');
      await expect(checkTarget(state, undefined)).rejects.toThrow('but this run is for a live service');
      await expect(checkTarget(state, 'live (https://ads.example.com)')).rejects.toThrow(
        'belongs to sandbox (seed 1), but this run is for live (https://ads.example.com)',
      );
    } finally {
      await state.close();
    }
  });
});
