import { expect, it } from 'vitest';
import { verifyAudit } from '../../../src/engine/budgets/verify-audit.ts';
import { recordFreeze } from '../../../src/storage/records/budgets/freeze-record.ts';
import { MIGRATION_NAMES, STEPS, type Steps } from '../../../src/storage/records/migrations.ts';
import { openPostgres } from '../../../src/storage/records/postgres/open-records.ts';
import { acquireRunLock, joinedLock } from '../../../src/storage/records/postgres/run-lock.ts';
import { upgradeTables } from '../../../src/storage/records/postgres/upgrade-tables.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { freshStore } from '../../support/both-engines.ts';
import { DUMPS, LATER, REPORT, restored, schemaOf, upgraded } from '../../support/database-of-version.ts';
import { describePostgres, onDatabase } from '../../support/postgres-server.ts';
import { NOW_MS } from '../../support/state.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIM_QUERIES, TRIM_RULES } from '../../support/trim-rule.ts';
import { writeFolder } from '../../support/world.ts';

const FREEZE = { by: 'anna', why: 'a sale' };
/** After the last run of the dumps. */
const NEXT_DAY = '2026-11-21T12:00:00Z';

const open = (url: string, fence?: Parameters<typeof openPostgres>[0]['fence']) =>
  openPostgres({ url, waitMs: 1000, fence });

async function contentOf(url: string): Promise<ReadonlyMap<string, unknown[][]>> {
  const names = await onDatabase(
    url,
    `SELECT relname FROM pg_class WHERE relnamespace = 'pacekeeper'::regnamespace AND relkind = 'r' AND NOT relispartition
      AND relname NOT IN ('run_lock', 'schema_version') ORDER BY 1`,
  );
  const content = new Map<string, unknown[][]>();
  for (const [name] of names)
    content.set(String(name), await onDatabase(url, `SELECT * FROM pacekeeper.${name} ORDER BY 1, 2`));
  return content;
}

const versions = async (url: string) =>
  (await onDatabase(url, 'SELECT name FROM pacekeeper.schema_version ORDER BY 1')).map(([name]) => name);

describePostgres('the tables of a database', () => {
  it.each(DUMPS)('of version %s are upgraded step by step, keep their rows and equal new tables', async (dump) => {
    const url = await restored(dump);
    // 0016 moves who acknowledged an alert from its row, where it is the last column, to the alert.
    const moves = dump >= '0012' && dump < '0016';
    if (moves) await onDatabase(url, "UPDATE pacekeeper.outbox SET acknowledged_by = 'anna' WHERE id = 2");
    const before = await contentOf(url);
    const [since] = (await versions(url)).slice(-1);
    for (const name of Object.keys(STEPS)) {
      const steps = Object.entries(STEPS).filter(([step]) => step <= name);
      await upgraded(url, Object.fromEntries(steps));
      expect((await versions(url)).at(-1)).toBe(name > String(since) ? name : since);
    }
    expect(await versions(url)).toEqual(MIGRATION_NAMES);
    expect(await schemaOf(url)).toEqual(await schemaOf((await freshStore()).url));
    const after = await contentOf(url);
    for (const [name, rows] of before) {
      const width = (rows[0]?.length ?? 0) - (moves && name === 'outbox' ? 1 : 0);
      const kept = (row: readonly unknown[]) => row.slice(0, width);
      expect([name, after.get(name)?.map(kept)]).toEqual([name, rows.map(kept)]);
    }
    const seen = `SELECT alert.acknowledged_by, alert.acknowledged_at = outbox.updated_at
      FROM pacekeeper.alert JOIN pacekeeper.outbox ON alert.id = alert_id WHERE outbox.id = 2`;
    expect(await onDatabase(url, seen)).toEqual([moves ? ['anna', true] : [null, null]]);
  });

  it.each(DUMPS)('of version %s take a report after the upgrade, and the audit trail stays sound', async (dump) => {
    const url = await restored(dump);
    const folder = tempDir();
    writeFolder(folder, 'queries', TRIM_QUERIES);
    writeFolder(folder, 'rules', TRIM_RULES);
    const env = { PACEKEEPER_STORE_URL: url, PACEKEEPER_NOW: NEXT_DAY };
    const { code, stdout, stderr } = await runInProcess(REPORT, { folder, env });
    expect([code, stdout, stderr]).toEqual([0, expect.stringContaining('Done: '), expect.any(String)]);
    const state = await open(url);
    const { events, broken, differences } = await verifyAudit(state);
    await state.close();
    expect({ broken, differences }).toEqual({ broken: [], differences: [] });
    expect(events).toBeGreaterThan(10);
  });
});

const versionsOf = async (url: string) => (await versions(url)).at(-1);

/** The later migration with one more statement at that place. */
function withStatement(place: number, postgres: string): Steps {
  const [name, statements] = Object.entries(LATER).at(-1) ?? ['', []];
  return { ...LATER, [name]: statements.toSpliced(place, 0, { postgres }) };
}

describePostgres('an upgrade', () => {
  it('runs each statement in the words of the server, and the log names the database and both versions', async () => {
    const url = await restored('0008.sql');
    const log = await upgraded(url, LATER);
    const where = url.replace(/keeper:[^@]+@/, '');
    expect(log).toEqual([
      `${where}: upgrading the tables from version 0008 to 9999.`,
      `${where}: the tables have version 9999 now. Older versions of pacekeeper refuse them.`,
    ]);
    expect(await onDatabase(url, 'SELECT currency, later_micros FROM pacekeeper.account')).toEqual([['EUR', '10000']]);
    expect(await onDatabase(url, 'SELECT id, words FROM pacekeeper.later_note')).toEqual([
      ['1', 'report -- as INTEGER'],
      ['2', 'report -- as INTEGER'],
    ]);
    expect(await schemaOf(url)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^column pacekeeper\.account \d+ later_micros bigint f/),
        expect.stringMatching(/^column pacekeeper\.later_note 3 words text t .*"C"$/),
        'constraint pacekeeper.later_note FOREIGN KEY (run_id) REFERENCES pacekeeper.run(id)',
        'index CREATE INDEX later_note_by_run ON pacekeeper.later_note USING btree (run_id)',
      ]),
    );
    expect(await onDatabase(url, "SELECT pacekeeper.later('done')")).toEqual([['done!']]);
    expect(await upgraded(url, LATER)).toEqual([]);
  });

  it('that is killed before any statement, or fails, leaves the old tables, and a later one succeeds', async () => {
    const url = await restored('0008.sql');
    const before = [await schemaOf(url), await contentOf(url)];
    const statements = Object.values(LATER).at(-1)?.length ?? 0;
    for (let place = 0; place <= statements; place++) {
      const killed = upgraded(url, withStatement(place, 'SELECT pg_terminate_backend(pg_backend_pid())'));
      await expect(killed).rejects.toMatchObject({ code: 'STORE_LOST' });
      expect([await schemaOf(url), await contentOf(url)]).toEqual(before);
    }
    await expect(upgraded(url, withStatement(3, 'CREATE TABLE run (id int)'))).rejects.toMatchObject({
      code: 'UPGRADE_FAILED',
      message: expect.stringMatching(
        /^postgres:\S+ was not upgraded, because step 9999-later failed: relation "run" already exists\. Its tables are as before\.$/,
      ),
    });
    expect([await schemaOf(url), await contentOf(url)]).toEqual(before);
    await upgraded(url, LATER);
    expect(await versionsOf(url)).toBe('9999-later');
  });

  it('ends the writing of every process that had opened the old tables', async () => {
    const url = await restored('0008.sql');
    await upgraded(url, STEPS);
    const events = () => onDatabase(url, 'SELECT count(*) FROM pacekeeper.budget_event');
    const before = await events();
    const lock = await acquireRunLock(url, 'pacekeeper report', '2026-11-20T12:00:00Z');
    if (lock.kind !== 'acquired') throw new Error('Another process has the lock.');
    await onDatabase(url, "UPDATE pacekeeper.run SET state = 'running' WHERE id = 2");
    const ofWorker = joinedLock({ runId: 2n, token: lock.token, lease: () => undefined });
    const without = await open(url);
    const run = await open(url, lock.fence);
    const worker = await open(url, ofWorker.fence);
    await onDatabase(url, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 2");
    await expect.poll(() => lock.lost()).toMatch(/ ended$/);
    await upgraded(url, LATER);
    await expect(recordFreeze(without.db, FREEZE, NOW_MS)).rejects.toMatchObject({
      code: 'OTHER_TABLES',
      message: expect.stringMatching(
        / no longer has the tables of version \S+ that this process opened\. Nothing more was written\.$/,
      ),
    });
    for (const { db } of [run, worker]) {
      await expect(recordFreeze(db, FREEZE, NOW_MS)).rejects.toMatchObject({ code: 'LOCK_LOST' });
    }
    expect(await events()).toEqual(before);
    // Versions that do not compare the version of the tables ask for the token.
    const [[token] = []] = await onDatabase(url, ofWorker.fence.sql());
    expect(() => ofWorker.fence.check(BigInt(String(token)))).toThrow('Nothing more was written.');
    for (const state of [without, run, worker]) await state.close();
  });

  it('does nothing for a process that lost the run lock', async () => {
    const url = await restored('0008.sql');
    const lock = await acquireRunLock(url, 'pacekeeper report', '2026-11-20T12:00:00Z');
    if (lock.kind !== 'acquired') throw new Error('Another process has the lock.');
    await lock.release();
    const late = upgradeTables({ url, waitMs: 1000, fence: lock.fence, log: { info: () => undefined }, steps: LATER });
    await expect(late).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(await versionsOf(url)).toBe('0008-plain-notes');
  });
});
