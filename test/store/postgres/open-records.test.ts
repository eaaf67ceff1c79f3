import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { describeError } from '../../../src/commands/cli/print-error.ts';
import { refuseUnguarded } from '../../../src/storage/records/altered-record.ts';
import { recordFreeze } from '../../../src/storage/records/budgets/freeze-record.ts';
import { insertIntent } from '../../../src/storage/records/budgets/intent-table.ts';
import { isBusy } from '../../../src/storage/records/is-busy.ts';
import { MIGRATION_NAMES } from '../../../src/storage/records/migrations.ts';
import { openPostgres } from '../../../src/storage/records/postgres/open-records.ts';
import { acquireRunLock } from '../../../src/storage/records/postgres/run-lock.ts';
import { freshStore } from '../../support/both-engines.ts';
import { describePostgres, freshDatabase, onDatabase, ownPostgres, urlOf } from '../../support/postgres-server.ts';
import { NOW_MS, someIntent } from '../../support/state.ts';

const open = (url: string, waitMs = 1000) => openPostgres({ url, waitMs });
const FREEZE = { by: 'anna', why: 'a sale' };

describePostgres('a database', () => {
  it('that is away, unknown or too old is refused in a sentence without the password', async () => {
    const url = await freshDatabase();
    const away = url.replace(/:\d+\//, ':1/');
    const message = async (address: string) => {
      const error = await open(address).catch((cause: unknown) => cause);
      expect(JSON.stringify([String(error), error])).not.toMatch(/correct-horse/);
      return (error as Error).message;
    };
    expect(await message(away)).toMatch(
      /^postgres:\/\/127\.0\.0\.1:1\/db_\d+ cannot be reached: connection refused\.$/,
    );
    expect(await message(`${url}x`)).toMatch(/ cannot be used: the database does not exist\.$/);
    expect(await message('postgres://keeper:correct-horse@127.0.0.1')).toMatch(
      /^Invalid store\.url: expected postgres/,
    );
  });

  it('lets the work of one process wait as long as it takes, and another process only so long', async () => {
    const state = await freshStore();
    const patient = await openPostgres({ url: state.url, waitMs: 1 });
    const work = Array.from({ length: 8 }, () =>
      patient.db.transaction().execute((trx) => sql`SELECT count(*) FROM generate_series(1, 200000)`.execute(trx)),
    );
    expect(await Promise.all(work)).toHaveLength(8);
    await state.db.transaction().execute(async (trx) => {
      await sql`SELECT 1`.execute(trx);
      await expect(recordFreeze(patient.db, FREEZE, NOW_MS)).rejects.toSatisfy(isBusy);
    });
    await recordFreeze(patient.db, FREEZE, NOW_MS);
    await patient.close();
  });

  it('of another program, of a newer version or with a missing table is refused, and nothing is created', async () => {
    const other = await freshDatabase();
    await onDatabase(other, 'CREATE SCHEMA pacekeeper', 'CREATE TABLE pacekeeper.theirs (a int)');
    await expect(open(other)).rejects.toThrow('has a table pacekeeper.theirs that pacekeeper did not create.');
    expect(await onDatabase(other, "SELECT 1 FROM pg_namespace WHERE nspname = 'warehouse'")).toEqual([]);

    const { url } = await freshStore();
    await onDatabase(url, "INSERT INTO pacekeeper.schema_version VALUES ('9999-later')");
    await expect(open(url)).rejects.toThrow('was written by a newer version of pacekeeper.');
    await onDatabase(
      url,
      "DELETE FROM pacekeeper.schema_version WHERE name = '9999-later'",
      'DROP TABLE pacekeeper.silence',
    );
    await expect(open(url)).rejects.toThrow('cannot be used: table silence is missing.');
  });

  it('that is read-only is refused before its first use, and each write later', async () => {
    const url = await freshDatabase();
    const name = url.split('/').at(-1);
    await onDatabase(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await expect(open(url)).rejects.toThrow('cannot be used: it is read-only.');
    await onDatabase(url, 'SET default_transaction_read_only = off', `ALTER DATABASE ${name} RESET ALL`);
    await (await open(url)).close();
    await onDatabase(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const state = await freshStore(url);
    expect(state.isReadOnly).toBe(true);
    await expect(recordFreeze(state.db, FREEZE, NOW_MS)).rejects.toThrow('cannot be used: it is read-only.');
  });

  it('is created once by processes that start together', async () => {
    const url = await freshDatabase();
    const states = await Promise.all([1, 2, 3, 4].map(() => open(url, 10_000)));
    for (const state of states) await state.close();
    const names = await onDatabase(url, 'SELECT name FROM pacekeeper.schema_version ORDER BY 1');
    expect(names.flat()).toEqual(MIGRATION_NAMES);
  });

  it('that stops in the middle of a transaction keeps nothing of it, and later commands go on', async () => {
    const server = await ownPostgres();
    await onDatabase(urlOf(server, 'postgres'), 'CREATE DATABASE own');
    const state = await freshStore(urlOf(server, 'own'));
    await recordFreeze(state.db, FREEZE, NOW_MS);
    const cut = state.db.transaction().execute(async (trx) => {
      await recordFreeze(trx, { ...FREEZE, why: 'lost' }, NOW_MS);
      server.stop();
      await recordFreeze(trx, { ...FREEZE, why: 'lost, too' }, NOW_MS);
    });
    await expect(cut).rejects.toThrow(/cannot be reached: /);
    server.start();
    await recordFreeze(state.db, { ...FREEZE, why: 'again' }, NOW_MS);
    const details = await onDatabase(
      state.url,
      "SELECT detail::json ->> 'why' FROM pacekeeper.budget_event ORDER BY id",
    );
    expect(details).toEqual([['a sale'], ['again']]);
    await state.close();
  });
});

describePostgres('writers', () => {
  it('wait for each other, and give up with a sentence', async () => {
    const { db, url } = await freshStore();
    const other = await open(url, 300);
    await db.transaction().execute(async () => {
      const error = await recordFreeze(other.db, FREEZE, NOW_MS).catch((cause: unknown) => cause);
      expect((error as Error).message).toMatch(/ is in use by another writer\. Try again in a moment\.$/);
      expect(isBusy(error)).toBe(true);
    });
    await recordFreeze(other.db, FREEZE, NOW_MS);
    await other.close();
  });

  it('of two processes cannot both decide on a budget on the same day', async () => {
    const { db, url } = await freshStore();
    const other = await open(url, 5000);
    const made = await Promise.all([
      insertIntent(db, undefined, someIntent(), NOW_MS),
      insertIntent(other.db, undefined, someIntent(), NOW_MS),
    ]);
    expect(made.filter((one) => one !== undefined)).toHaveLength(1);
    expect(await onDatabase(url, 'SELECT count(*) FROM pacekeeper.budget_event')).toEqual([['1']]);
    await other.close();
  });

  it('cannot change or remove an event, and a missing guard is noticed', async () => {
    const state = await freshStore();
    await recordFreeze(state.db, FREEZE, NOW_MS);
    for (const statement of [
      "UPDATE pacekeeper.budget_event SET actor = 'ben'",
      'DELETE FROM pacekeeper.budget_event',
      'TRUNCATE pacekeeper.budget_event CASCADE',
      `INSERT INTO pacekeeper.budget_event SELECT id + 2, intent_id, kind, actor, detail, created_at, hash, hash FROM pacekeeper.budget_event`,
    ]) {
      await expect(onDatabase(state.url, statement)).rejects.toThrow('budget_event only grows');
    }
    await refuseUnguarded(state);
    await onDatabase(state.url, 'ALTER TABLE pacekeeper.budget_event DISABLE TRIGGER budget_event_goes_on');
    await expect(refuseUnguarded(state)).rejects.toThrow('trigger budget_event_goes_on differs');
    await onDatabase(state.url, 'DROP TRIGGER budget_event_goes_on ON pacekeeper.budget_event');
    await expect(refuseUnguarded(state)).rejects.toThrow('trigger budget_event_goes_on is missing');
  });
});

describePostgres('the run lock', () => {
  it('is held by one process, which a second one learns', async () => {
    const { url } = await freshStore();
    const first = await acquireRunLock(url, 'pacekeeper report', '2026-11-20T12:00:00Z');
    if (first.kind !== 'acquired') throw new Error('Another process has the lock.');
    expect(await acquireRunLock(url, 'pacekeeper extract', '2026-11-20T12:00:00Z')).toMatchObject({
      kind: 'held',
      command: 'pacekeeper report',
      since: '2026-11-20T12:00:00Z',
      holder: expect.stringMatching(/^pacekeeper report, process \d+ on .*, since 2026-11-20 12:00 UTC$/),
    });
    await first.release();
    const again = await acquireRunLock(url, 'pacekeeper extract', '2026-11-20T12:00:00Z');
    expect(again.kind).toBe('acquired');
    if (again.kind === 'acquired') await again.release();
  });

  it('names its holder to processes that ask at the same time', async () => {
    const { url } = await freshStore();
    for (const since of Array.from({ length: 10 }, (_, index) => `2026-11-20 12:0${index}`)) {
      const asked = await Promise.all(
        [1, 2, 3, 4].map(() => acquireRunLock(url, 'pacekeeper report', `${since.replace(' ', 'T')}:00Z`)),
      );
      const holders = asked.flatMap((one) => (one.kind === 'held' ? [one.holder] : []));
      expect(holders).toHaveLength(3);
      for (const holder of holders) expect(holder).toContain(`since ${since} UTC`);
      for (const one of asked) if (one.kind === 'acquired') await one.release();
    }
  });

  it('is asked for in each transaction, and a connection that is lost then is told like any other', async () => {
    const { url } = await freshStore();
    const fence = { sql: () => 'SELECT pg_terminate_backend(pg_backend_pid())', check: () => undefined };
    const state = await openPostgres({ url, waitMs: 1000, fence });
    const lost = { code: 'STORE_LOST', message: expect.stringContaining('cannot be reached') };
    await expect(recordFreeze(state.db, FREEZE, NOW_MS)).rejects.toMatchObject(lost);
    await state.close();
  });

  it('that was lost stops every write of its process', async () => {
    const { url } = await freshStore();
    const lock = await acquireRunLock(url, 'pacekeeper report', '2026-11-20T12:00:00Z');
    if (lock.kind !== 'acquired') throw new Error('Another process has the lock.');
    const state = await openPostgres({ url, waitMs: 1000, fence: lock.fence });
    await recordFreeze(state.db, FREEZE, NOW_MS);
    await onDatabase(url, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 2");
    await expect.poll(() => lock.lost()).toMatch(/^the connection that holds the run lock at .* ended$/);
    const refused = await recordFreeze(state.db, FREEZE, NOW_MS).catch(describeError);
    expect(refused).toMatchObject({ exitCode: 1, nextStep: 'Run the command again.' });
    // Without a stack: this is no bug of the program.
    expect(refused?.message).toMatch(
      /^the connection that holds the run lock at \S+ ended\. Nothing more was written\. \(LOCK_LOST\)$/,
    );

    const next = await acquireRunLock(url, 'pacekeeper report', '2026-11-20T13:00:00Z');
    if (next.kind !== 'acquired') throw new Error('Another process has the lock.');
    expect(await onDatabase(url, 'SELECT count(*) FROM pacekeeper.budget_event')).toEqual([['1']]);
    await next.release();
    await state.close();
  });
});
