import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { type MovePoint, moveStore } from '../../../src/commands/migrate-store/move-store.ts';
import { readSettings } from '../../../src/config/read-settings.ts';
import { addToken, readTokens } from '../../../src/dashboard/server/access-tokens.ts';
import { databaseEnd } from '../../../src/engine/folder/database-end.ts';
import { folderEnd } from '../../../src/engine/folder/folder-end.ts';
import { openInbox } from '../../../src/storage/inbox/open-inbox.ts';
import { acquireRunLock as lockDatabase } from '../../../src/storage/records/postgres/run-lock.ts';
import { acquireRunLock as lockFolder } from '../../../src/storage/records/sqlite/run-lock.ts';
import { byEffort } from '../../support/effort.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { contentOf, textOf } from '../../support/moved-content.ts';
import { describePostgres, freshDatabase, onDatabase } from '../../support/postgres-server.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { toldLog } from '../../support/told-log.ts';
import { type UsedFolder, usedFolder } from '../../support/used-folder.ts';
import { NOON } from '../../support/world.ts';
import { type ProgramResult, runInProcess } from '../run-in-process.ts';

const TO_DATABASE = ['migrate-store', '--from', 'data', '--to', 'env:OTHER_STORE'];
const TO_FILES = ['migrate-store', '--from', 'env:OTHER_STORE', '--to', 'data'];

interface Place extends UsedFolder {
  readonly url: string;
  /** One command line, with records in files unless `url` is the store. */
  cli(args: readonly string[], store?: 'database', width?: number): Promise<ProgramResult>;
  kept(): readonly string[];
}

async function place(): Promise<Place> {
  const [used, url] = await Promise.all([usedFolder(), freshDatabase()]);
  return {
    ...used,
    url,
    async cli(args, store, width = 1000) {
      const env = { PACEKEEPER_NOW: NOON, OTHER_STORE: url, ...(store && { PACEKEEPER_STORE_URL: url }) };
      const done = await runInProcess(args, { folder: used.folder, env, userName: 'anna', width });
      expect(JSON.stringify(done)).not.toMatch(/correct-horse/);
      return done;
    },
    kept: () => readdirSync(used.at('data')).filter((name) => name.startsWith('state-moved-')),
  };
}

/** What SQLite, JavaScript, COPY and PostgreSQL might each change. */
const HOSTILE = `'; DROP TABLE run; -- "it''s" \\ \\N \\. \\x41 \t \n \r\n \u0001 \u2028 \ufffd ${'\u{1F4A5}'} \u202e {"a":"\\u0000"}`;

function addHostileRows(path: string): void {
  const file = new Database(path);
  const alert =
    file.prepare(`INSERT INTO alert (id, dedupe_key, kind, state, severity, rule, text, fired_at, created_at, updated_at)
    VALUES (?, ?, 'event', 'firing', 'info', ?, ?, '2026-11-20T12:00:00Z', '2026-11-20T12:00:00Z', '2026-11-20T12:00:00Z')`);
  alert.run(2n ** 63n - 2n, HOSTILE, null, HOSTILE);
  alert.run(70, '', '', 'x\\'.repeat(200_000));
  file
    .prepare('INSERT INTO loaded_piece VALUES (?, 1, ?, -9223372036854775808, 9223372036854775807)')
    .run(HOSTILE, Buffer.from([0, 255, 92, 10, 39]));
  file.exec("UPDATE stats SET cost_micros = 9223372036854775807, campaign_name = NULL WHERE date = '2026-11-14'");
  file.prepare("UPDATE stats SET campaign_name = ? WHERE date = '2026-11-15'").run(HOSTILE);
  // The ids of deleted rows are not used again.
  file.exec("UPDATE sqlite_sequence SET seq = 41 WHERE name = 'run'");
  file.close();
}

describePostgres('a move of all records', () => {
  it('to a database and back keeps each row, each id and the head of the audit trail', async () => {
    const { cli, state, url, kept, folder } = await place();
    addHostileRows(state);
    const before = contentOf(state);
    const { stdout: verified } = await cli(['audit', 'verify', '--offline']);
    const head = /Head: (\S+)/.exec(verified)?.[1] ?? '';

    const dry = await cli([...TO_DATABASE, '--dry-run']);
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringMatching(/stats +81 .*Nothing was changed\.\n$/s) });
    expect([contentOf(state), existsSync(join(folder, 'data', 'store.txt'))]).toEqual([before, false]);

    const { code, stdout } = await cli(TO_DATABASE, undefined, 80);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Table +Rows .*stats +81 .*Head:\s+\d+:[0-9a-f]{64}/s)]);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    for (const [name, rows] of Object.entries(before)) {
      if (name === 'sqlite_sequence') continue;
      const file = new Database(join(folder, 'data', kept()[0] ?? ''), { readonly: true });
      const columns = (file.pragma(`table_info("${name}")`) as { name: string; type: string }[]).map((column) =>
        name === 'stats' && column.name === 'date' ? 'date::text' : `"${column.name}"`,
      );
      file.close();
      const schema = name === 'stats' ? 'warehouse' : 'pacekeeper';
      const found = await onDatabase(url, `SELECT ${columns.join(', ')} FROM ${schema}."${name}"`);
      // The client of this test reads a bigint as text.
      const plain = (row: string) => row.replaceAll(/(^|\|)(?:bigint|string|object|number) /g, '$1');
      expect([name, found.map((row) => plain(textOf(row))).sort()]).toEqual([name, rows.map(plain).sort()]);
    }
    const verify = ['audit', 'verify', '--offline', '--head', head];
    expect((await cli(verify, 'database')).stdout).toContain(`The record contains ${head}.`);

    expect(await cli(TO_FILES)).toMatchObject({ code: 0 });
    expect(contentOf(state)).toEqual(before);
    expect((await cli(verify)).stdout).toContain(`The record contains ${head}.`);
    expect(await cli(['report'])).toMatchObject({ code: 0 });
    expect(Math.max(...readdirSync(join(folder, 'data', 'runs')).map((name) => Number.parseInt(name, 10)))).toBe(42);
  });

  it('leaves one store that can be used, and says where it is', async () => {
    const { cli, kept, state, folder } = await place();
    const published = join(folder, 'data', 'warehouse.sqlite');
    expect(existsSync(published)).toBe(true);
    expect(await cli(TO_DATABASE)).toMatchObject({ code: 0 });
    expect([existsSync(state), existsSync(published), kept().length]).toEqual([false, false, 1]);
    expect((await cli(['status'])).stderr).toMatch(
      /The records of .*data are in postgres:\/\/127\.0\.0\.1:\d+\/db_\d+\./,
    );
    expect(await cli(['report'], 'database')).toMatchObject({ code: 0 });
    expect((await cli(TO_DATABASE)).stderr).toMatch(/The records of .*data are in postgres:/);

    expect(await cli(TO_FILES)).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, 'data', 'store.txt'))).toBe(false);
    const elsewhere = ['report', '--data-dir', tempDir()];
    expect(await cli(elsewhere, 'database')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /The records of postgres:.* moved to .*data\.\nnext step: Use this data folder without/,
      ),
    });
    expect(await cli(TO_FILES)).toMatchObject({ code: 2, stderr: expect.stringContaining(' moved to ') });
    expect(await cli(['report'])).toMatchObject({ code: 0 });
  });
});

describePostgres('tokens of the dashboard', () => {
  it('come back from a database, without those that were revoked there', async () => {
    const { cli, at } = await place();
    const file = at('data', 'serve-tokens.json');
    for (const name of ['anna', 'ben']) addToken(file, { name, role: 'viewer' }, NOON);
    const done = async (args: readonly string[], store?: 'database') => expect((await cli(args, store)).code).toBe(0);
    await done(TO_DATABASE);
    await done(['serve', 'token', '--revoke', 'anna'], 'database');
    await done(['serve', 'token', '--name', 'carl'], 'database');
    await done(TO_FILES);
    expect(readTokens(file).map(({ name }) => name)).toEqual(['ben', 'carl']);
  });

  it('stay if no command used them in the database', async () => {
    const { cli, at } = await place();
    const file = at('data', 'serve-tokens.json');
    addToken(file, { name: 'anna', role: 'viewer' }, NOON);
    const before = readTokens(file);
    for (const args of [TO_DATABASE, TO_FILES]) expect((await cli(args)).code).toBe(0);
    expect(readTokens(file)).toEqual(before);
  });
});

const POINTS: readonly MovePoint[] = [
  'begun',
  'left',
  'arrived run',
  'arrived budget_event',
  'arrived target',
  'arrived stats',
  'arrived query_table',
  'usable',
];

const PLACES = POINTS.flatMap((point) => [[point, TO_DATABASE] as const, [point, TO_FILES] as const]);

describePostgres('an interrupted move', () => {
  it.each(byEffort({ quick: [PLACES[2], PLACES[15]], thorough: PLACES }).flatMap((one) => (one ? [one] : [])))(
    'at "%s" goes on with the same command: %s',
    async (point, command) => {
      const { cli, state, folder, url, run } = await place();
      const before = contentOf(state);
      const isBack = command === TO_FILES;
      if (isBack) expect(await cli(TO_DATABASE)).toMatchObject({ code: 0 });
      const settings = await readSettings(folder, {}, {});
      const ends = [folderEnd(settings), databaseEnd(url, 'OTHER_STORE', settings.paths.data)] as const;
      const [from, to] = isBack ? [ends[1], ends[0]] : ends;
      const passes = (passed: MovePoint) => {
        if (passed === point) throw new Error('killed');
      };
      const deps = { clock: fakeClock(NOON), log: toldLog(), passes };
      await expect(moveStore({ from, to, settings, isDryRun: false }, deps)).rejects.toThrow('killed');

      // At most one of both stores can be used, and only before the first row has left or after the last has arrived.
      const uses = [await cli(['alerts', 'list'], 'database'), await run(['alerts', 'list'])];
      const isUsable = uses.map(({ code }) => code === 0);
      const usable = point === 'begun' ? from : point === 'usable' ? to : undefined;
      const expected = [usable === ends[1], usable === ends[0]];
      if (!isBack && point === 'usable') expected[0] = false; // The folder's own file must move away first.
      expect(isUsable).toEqual(expected);
      for (const { code, stderr } of uses) {
        if (code !== 0)
          expect(stderr).toMatch(/(?:is not complete|are in postgres:.*|has records, but .*)\.\nnext step: /);
      }
      const frozen = await cli(['freeze', '--by', 'anna', '--why', 'a sale'], isBack ? undefined : 'database');
      expect(frozen.code).toBe(0);

      expect(await cli(command)).toMatchObject({ code: 0, stderr: '' });
      if (!isBack) expect(await cli(TO_FILES)).toMatchObject({ code: 0 });
      if (!(isBack && point === 'usable')) expect(contentOf(state)).toEqual(before);
      expect((await run(['audit', 'verify', '--offline'])).code).toBe(0);
      expect((await run(['status'])).stdout).toContain('a sale');
    },
  );

  it('does not continue with rows that changed since', async () => {
    const { cli, state, folder, url, execute } = await place();
    const settings = await readSettings(folder, {}, {});
    const ends = { from: folderEnd(settings), to: databaseEnd(url, 'OTHER_STORE', settings.paths.data) };
    await expect(
      moveStore(
        { ...ends, settings, isDryRun: false },
        {
          clock: fakeClock(NOON),
          log: toldLog(),
          passes: (point) => {
            if (point === 'arrived account') throw new Error('killed');
          },
        },
      ),
    ).rejects.toThrow('killed');
    execute("UPDATE account SET name = 'renamed by hand'");
    expect(await cli(TO_DATABASE)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /Table account of postgres:.* differs from its original: found 4 rows .*, expected 4 rows/,
      ),
    });
    expect(existsSync(state)).toBe(true);
  });
});

describePostgres('a move is refused, and changes nothing,', () => {
  const refused = async ({ cli, state, folder }: Place, command: readonly string[], code: number, stderr: RegExp) => {
    const before = contentOf(state);
    expect(await cli(command)).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(stderr) });
    expect(contentOf(state)).toEqual(before);
    expect(existsSync(join(folder, 'data', 'store.txt'))).toBe(false);
  };

  it('between places that it cannot use', async () => {
    const one = await place();
    const literal = one.url.replace('%2F', '');
    for (const option of ['--from', '--to']) {
      const command = ['migrate-store', '--from', 'data', '--to', 'data', option, literal];
      await refused(
        one,
        command,
        2,
        /is an address, which shows its password .*\nnext step: .* env:PACEKEEPER_STORE_URL\n$/,
      );
    }
    const between = (from: string, to: string) => ['migrate-store', '--from', from, '--to', to];
    await refused(one, between('data', 'env:NOWHERE'), 2, /variable NOWHERE is not set.*\nnext step: Set NOWHERE in /);
    await refused(one, between('data', 'other'), 2, /Both places are data folders/);
    await refused(one, between('env:OTHER_STORE', 'env:OTHER_STORE'), 2, /Both places are databases/);
    await refused(one, between('data', ' '), 2, /--to is empty/);
    await refused(one, between('nowhere', 'env:OTHER_STORE'), 2, /File not found: .*nowhere.state\.sqlite/);
    expect(existsSync(join(one.folder, 'nowhere'))).toBe(false);
    await refused(one, TO_FILES, 2, /postgres:.* has no tables of pacekeeper\.\nnext step: /);
    const away = {
      OTHER_STORE: 'postgres://keeper:correct-horse@127.0.0.1:1/away',
      WRONG: 'mysql://keeper:correct-horse@h/d',
    };
    for (const [name, code, words] of [
      ['OTHER_STORE', 1, 'postgres://127.0.0.1:1/away cannot be reached'],
      ['WRONG', 2, 'Invalid WRONG: expected postgres://'],
    ] as const) {
      const done = await runInProcess(between('data', `env:${name}`), { folder: one.folder, env: away });
      expect(done).toMatchObject({ code, stderr: expect.stringContaining(words) });
      expect(done.stderr).not.toContain('correct-horse');
    }
  });

  it('while somebody uses one of the places', async () => {
    const one = await place();
    const folderLock = lockFolder(join(one.folder, 'data'), 'pacekeeper report', NOON);
    await refused(one, TO_DATABASE, 1, /data is in use by pacekeeper report, process /);
    if (folderLock.kind === 'acquired') folderLock.release();
    await one.cli(['status'], 'database');
    expect(await one.cli(['freeze', '--by', 'anna', '--data-dir', tempDir()], 'database')).toMatchObject({ code: 0 });
    const databaseLock = await lockDatabase(one.url, 'pacekeeper report', NOON);
    await refused(one, TO_DATABASE, 1, /postgres:.* is in use by pacekeeper report, process /);
    if (databaseLock.kind === 'acquired') await databaseLock.release();
    await refused(one, TO_DATABASE, 2, /postgres:.* already has records\. Nothing was moved\.\nnext step: /);

    const reader = new Database(one.state, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM run').get();
    expect(await one.cli(TO_DATABASE)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('state.sqlite is in use by another program. Close it and run again.'),
    });
    reader.close();
  });

  it('of records that are not sound, or of another version, or with open work', async () => {
    const one = await place();
    const inbox = openInbox(join(one.folder, 'data', 'inbox.sqlite'), fakeClock(NOON));
    await inbox.keep([{ channel: 'messages', kind: 'message', dedupeKey: '1', text: 'YES 7K3A', payload: '{}' }]);
    await refused(one, TO_DATABASE, 2, /1 webhook waits in the inbox\..*\nnext step: .*pacekeeper report/);
    await inbox.done(1n, 'handled');
    await inbox.close();

    const long = 'q'.repeat(64);
    one.execute(
      `CREATE TABLE ${long} (customer_id INTEGER NOT NULL, _row INTEGER PRIMARY KEY) STRICT`,
      `INSERT INTO query_table (name, columns, query, description) VALUES ('${long}', '[]', '', '')`,
    );
    await refused(one, TO_DATABASE, 2, /The name q+ is too long for PostgreSQL/);
    one.execute(`ALTER TABLE ${long} RENAME COLUMN _row TO number`);
    await refused(one, TO_DATABASE, 2, /its rows have no numbers\.\nnext step: Run pacekeeper extract --query q+,/);
    one.execute(`DROP TABLE ${long}`, `DELETE FROM query_table WHERE name = '${long}'`);

    one.execute("INSERT INTO kysely_migration VALUES ('9999-later', '2026-11-20T12:00:00.000Z')");
    await refused(one, TO_DATABASE, 2, /state\.sqlite was written by another version of pacekeeper\.\nnext step: /);
    one.execute("DELETE FROM kysely_migration WHERE name = '9999-later' OR name LIKE '0008-%'");
    await refused(one, TO_DATABASE, 2, /state\.sqlite was written by another version of pacekeeper\.\nnext step: /);
    one.execute("INSERT INTO kysely_migration VALUES ('0008-plain-notes', '2026-11-20T12:00:00.000Z')");

    const [trigger] = one.rows("SELECT sql FROM sqlite_schema WHERE name = 'budget_event_is_not_changed'");
    one.execute(
      'DROP TRIGGER budget_event_is_not_changed',
      "UPDATE budget_event SET actor = 'somebody' WHERE id = 2",
      String(trigger?.sql),
    );
    await refused(one, TO_DATABASE, 2, /audit trail in .* is not sound, so it does not move\. Event 2 was altered/);
  });

  it('to a folder that belongs to another database', async () => {
    const one = await place();
    expect(await one.cli(TO_DATABASE)).toMatchObject({ code: 0 });
    writeFileSync(join(one.folder, 'data', 'store.txt'), 'postgres://db.example/ads\n');
    expect(await one.cli(TO_FILES)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/The records of .*data are in postgres:\/\/db\.example\/ads\./),
    });
  });
});

describePostgres('a text that PostgreSQL cannot hold', () => {
  it('is named, and the move goes on after it is mended', async () => {
    const { cli, execute, state } = await place();
    execute(
      "UPDATE account SET name = 'a' || char(0) || 'b' WHERE customer_id = (SELECT max(customer_id) FROM account)",
    );
    expect(await cli(TO_DATABASE)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Column name of table account has a NUL character where customer_id is \d+\./),
    });
    execute("UPDATE account SET name = 'ab' WHERE instr(name, char(0))");
    const before = contentOf(state);
    expect(await cli(TO_DATABASE)).toMatchObject({ code: 0 });
    expect(await cli(TO_FILES)).toMatchObject({ code: 0 });
    expect(contentOf(state)).toEqual(before);
  });
});
