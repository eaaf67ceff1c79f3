import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { withCaFile } from '../../../src/domain/connection-settings.ts';
import { openTaskQueue } from '../../../src/engine/queue/task-queue.ts';
import { recordFreeze } from '../../../src/storage/records/budgets/freeze-record.ts';
import { isBusy } from '../../../src/storage/records/is-busy.ts';
import { openPostgres, prepareTaskQueue } from '../../../src/storage/records/postgres/open-records.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { freshStore } from '../../support/both-engines.ts';
import { isThorough } from '../../support/effort.ts';
import {
  describePostgres,
  freshDatabase,
  NOBODY,
  onDatabase,
  ownPostgres,
  urlOf,
} from '../../support/postgres-server.ts';
import { NOW_MS } from '../../support/state.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { toldLog } from '../../support/told-log.ts';

const FREEZE = { by: 'anna', why: 'a sale' };
const open = (url: string, waitMs = 300) => openPostgres({ url, waitMs });
const isRoot = process.getuid?.() === 0;

/** The sentence and the next step. Neither has the password. */
async function refusal(url: string): Promise<string> {
  const error: Error & { nextStep?: string } = await open(url).then(
    () => new Error('The database was opened.'),
    (cause) => cause,
  );
  expect(`${error} ${error.nextStep}`).not.toMatch(/correct-horse|wrong-horse/);
  return `${error.message} ${error.nextStep ?? ''}`.replace(/^\S+ /, '');
}

describePostgres('a database that cannot be used', () => {
  it('because its server is older than 15 is refused, and nothing is created', async () => {
    const url = await freshDatabase();
    await onDatabase(
      url,
      'CREATE SCHEMA pacekeeper',
      // The program asks the server for its version by this name.
      "CREATE FUNCTION pacekeeper.current_setting(text) RETURNS text LANGUAGE sql AS $$ SELECT '140007' $$",
    );
    expect(await refusal(url)).toBe(
      'runs PostgreSQL 14, but pacekeeper needs version 15 or newer. Update the server, or use another one.',
    );
    expect(await onDatabase(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'pacekeeper'")).toEqual([]);
  });

  it('because the role may not create schemas is refused, and nothing is created', async () => {
    const url = await freshDatabase();
    await onDatabase(url, 'CREATE ROLE reader LOGIN');
    expect(await refusal(url.replace('keeper:', 'reader:'))).toBe(
      'cannot be used: this user lacks a permission. Let the user create schemas in the database, or own pacekeeper and warehouse. Or grant the rights of docs/scale-out.md (Roles).',
    );
    expect(await onDatabase(url, "SELECT 1 FROM pg_namespace WHERE nspname = 'pacekeeper'")).toEqual([]);
  });

  it('because its creation was interrupted is complete after the next start', async () => {
    const url = await freshDatabase();
    await onDatabase(
      url,
      // The server ends the process that creates the tables, in the middle of its work.
      `CREATE FUNCTION public.die() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        IF to_regclass('pacekeeper.budget_event') IS NOT NULL THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; END $$`,
      "CREATE EVENT TRIGGER die ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION public.die()",
    );
    expect(await refusal(url)).toMatch(/^cannot be reached: the server was stopped\. Check that the server runs/);
    expect(await onDatabase(url, "SELECT 1 FROM pg_namespace WHERE nspname = 'pacekeeper'")).toEqual([]);
    await onDatabase(url, 'DROP EVENT TRIGGER die');
    await recordFreeze((await freshStore(url)).db, FREEZE, NOW_MS);
  });

  it('because all connections are taken is waited for, then refused', async () => {
    const url = await freshDatabase();
    const name = url.split('/').at(-1);
    await onDatabase(
      url,
      'CREATE ROLE limited LOGIN CONNECTION LIMIT 1',
      `GRANT CREATE ON DATABASE ${name} TO limited`,
    );
    const limited = url.replace('keeper:', 'limited:');
    const first = await open(limited);
    onTestFinished(() => first.close());
    await first.db.transaction().execute(async (trx) => {
      await sql`SELECT 1`.execute(trx);
      await expect(open(limited)).rejects.toSatisfy(isBusy);
      expect(await refusal(limited)).toBe('has no free connection. Try again in a moment. ');
    });
    const waiting = open(limited, 10_000);
    await first.close();
    await (await waiting).close();
  });

  it.runIf(isThorough)('because a password or a certificate is wrong is refused, with what to do', async () => {
    const server = await ownPostgres();
    const admin = urlOf(server, 'postgres');
    expect(await refusal(`${admin}?sslmode=verify-full`)).toMatch(
      /^cannot be used: the server offers no TLS\. Set ssl/,
    );
    await onDatabase(admin, "CREATE ROLE guest LOGIN SUPERUSER PASSWORD 'correct-horse'");
    const hba = join(server.data, 'pg_hba.conf');
    writeFileSync(hba, `host all guest 127.0.0.1/32 scram-sha-256\n${readFileSync(hba, 'utf8')}`);
    const [theirs, ours] = ['server', 'ours'].map((name) => {
      const key = join(server.data, `${name}.key`);
      const certificate = join(server.data, `${name}.crt`);
      const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
      const host = name === 'ours' ? 'elsewhere.example' : 'localhost';
      const named = ['-subj', '/CN=test', '-addext', `subjectAltName=DNS:${host}`];
      execFileSync('openssl', ['req', '-x509', ...made, ...named, '-keyout', key, '-out', certificate], {
        stdio: 'ignore',
      });
      for (const path of [key, certificate]) {
        chmodSync(path, 0o600);
        if (isRoot) chownSync(path, NOBODY, NOBODY);
      }
      return { key, certificate };
    });
    await onDatabase(admin, 'ALTER SYSTEM SET ssl = on', 'SELECT pg_reload_conf()');
    const guest = (password: string) => admin.replace(/keeper:.*@127\.0\.0\.1/, `guest:${password}@localhost`);
    const url = `${guest('correct-horse')}?sslmode=verify-full`;
    await expect
      .poll(() => refusal(url))
      .toMatch(
        /^cannot be used: its certificate is not trusted\. Use the host name of the certificate in store\.url\. Set tls\.ca_file/,
      );
    expect(await refusal(`${url}&sslrootcert=${ours?.certificate}`)).toMatch(/its certificate is not trusted/);
    expect(await refusal(`${url}&sslrootcert=/nowhere`)).toMatch(/^cannot be used: a file that store\.url names/);
    const trusted = `${url}&sslrootcert=${theirs?.certificate}`;
    const state = await freshStore(trusted);
    const encrypted = sql<{ ssl: bigint }>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`;
    expect((await encrypted.execute(state.db)).rows).toEqual([{ ssl: 1n }]);
    const verify = (more: object) =>
      runInProcess(['audit', 'verify', '--offline'], { env: { PACEKEEPER_STORE_URL: url, ...more } });
    expect(await verify({})).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Set tls.ca_file (PACEKEEPER_TLS_CA_FILE) to a file'),
    });
    expect((await verify({ PACEKEEPER_TLS_CA_FILE: theirs?.certificate })).code).toBe(0);
    await prepareTaskQueue(trusted, 1000);
    const queue = await openTaskQueue(withCaFile(url, theirs?.certificate), 'group', false, toldLog({}));
    expect(await queue.countWorkers()).toEqual({ own: 0, others: 0 });
    await queue.close();
    expect(await refusal(withCaFile(`${url}&sslrootcert=${ours?.certificate}`, theirs?.certificate))).toMatch(
      /its certificate is not trusted/,
    );
    expect(await refusal(trusted.replace('correct-horse', 'wrong-horse'))).toBe(
      'cannot be used: the password is wrong. Correct the user or the password in store.url or PACEKEEPER_STORE_URL.',
    );
    await onDatabase(admin, `ALTER SYSTEM SET ssl_cert_file = '${ours?.certificate}'`);
    await onDatabase(admin, `ALTER SYSTEM SET ssl_key_file = '${ours?.key}'`, 'SELECT pg_reload_conf()');
    const moved = `${url}&sslrootcert=${ours?.certificate}`;
    // It is trusted, but is the certificate of another host.
    await expect.poll(() => refusal(moved)).toMatch(/its certificate is not trusted/);
    await state.close();
  });

  it.runIf(isThorough)('because it is a standby shows records, and refuses to write', async () => {
    const primary = await ownPostgres();
    await recordFreeze((await freshStore(urlOf(primary, 'postgres'))).db, FREEZE, NOW_MS);
    const standby = await ownPostgres(primary);
    expect(await refusal(urlOf(standby, 'template1'))).toBe(
      'cannot be used: it is read-only. Name the primary server in store.url, not a standby.',
    );
    const state = await freshStore(urlOf(standby, 'postgres'));
    expect(state.isReadOnly).toBe(true);
    expect(await state.db.selectFrom('budgetEvent').select('kind').execute()).toEqual([{ kind: 'frozen' }]);
    await expect(recordFreeze(state.db, FREEZE, NOW_MS)).rejects.toThrow('cannot be used: it is read-only.');
    await state.close();
  });

  it.runIf(isThorough && isRoot)(
    'because its disk is full keeps what it has, and goes on when there is room',
    async () => {
      const folder = join(tempDir(), 'small');
      mkdirSync(folder);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder], { stdio: 'ignore' });
      const { url } = await freshStore();
      onTestFinished(() => void execFileSync('umount', ['-l', folder]));
      chownSync(folder, NOBODY, NOBODY);
      chmodSync(join(folder, '..'), 0o755);
      await onDatabase(url, `CREATE TABLESPACE small LOCATION '${folder}'`);
      await onDatabase(url, 'ALTER TABLE pacekeeper.budget_event SET TABLESPACE small');
      const state = await freshStore(url);
      await recordFreeze(state.db, FREEZE, NOW_MS);
      const write = async () => {
        for (let event = 0; event < 100; event++) await recordFreeze(state.db, FREEZE, NOW_MS);
      };
      execFileSync('sh', ['-c', `cat /dev/zero > ${join(folder, 'filling')} 2> /dev/null || true`]);
      await expect(write()).rejects.toThrow('cannot be used: its disk is full.');
      writeFileSync(join(folder, 'filling'), '');
      await recordFreeze(state.db, { ...FREEZE, why: 'again' }, NOW_MS);
      await state.close();
      await onDatabase(url, 'ALTER TABLE pacekeeper.budget_event SET TABLESPACE pg_default');
      await onDatabase(url, 'DROP TABLESPACE small');
    },
  );
});
