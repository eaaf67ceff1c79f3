import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freezeIfCopied } from '../../../src/engine/folder/restored-copy.ts';
import { isCopied } from '../../../src/storage/records/postgres/copy-witness.ts';
import { joinedLock } from '../../../src/storage/records/postgres/run-lock.ts';
import { freshStore } from '../../support/both-engines.ts';
import {
  type DumpFormat,
  databaseBeside,
  describePostgres,
  dropDatabase,
  dumpOf,
  freshDatabase,
  makeDatabase,
  onDatabase,
  restoreDump,
} from '../../support/postgres-server.ts';
import { createProduct, type Product } from '../../support/product.ts';

/** Commands of the product with this database, in a data folder of their own. */
const at = (product: Product, url: string, folder: string) => (args: readonly string[]) =>
  product.run([...args, '--data-dir', folder], { env: { PACEKEEPER_STORE_URL: url }, width: 2000 });

const VIEWS = `SELECT table_name::text FROM information_schema.views WHERE table_schema = 'warehouse' ORDER BY 1`;
const SHOWN = ['stats', 'stats_by_day', 'account_day', 'campaign', 'coverage', 'calendar'];

async function shownIn(url: string): Promise<Record<string, unknown>> {
  const views = (await onDatabase(url, VIEWS)).flat().map(String);
  const shown: [string, unknown][] = [['views', views]];
  for (const name of SHOWN.filter((one) => one === 'stats' || views.includes(one))) {
    const rows = await onDatabase(url, `SELECT * FROM warehouse.${name}`);
    shown.push([name, rows.map((row) => JSON.stringify(row).replace(/T12:00:\d\d/, 'T12')).sort()]);
  }
  const totals = `SELECT query, customer_id, date, state, rows, totals FROM pacekeeper.account_day ORDER BY 1, 2, 3`;
  return { ...Object.fromEntries(shown), totals: await onDatabase(url, totals) };
}

/** As databases of earlier versions have them. */
const NUMBERED = `DO $$ DECLARE part record; BEGIN
  FOR part IN SELECT inhrelid::regclass AS name, inhparent || ' ' || left(relname, 7) AS number
    FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE relkind = 'r' LOOP
    EXECUTE format('ALTER TABLE %s RENAME TO %I', part.name, part.number);
  END LOOP; END $$`;

const WAYS: readonly (readonly [DumpFormat, 'new' | 'same', readonly string[]])[] = [
  ['custom', 'new', []],
  ['custom', 'same', ['--no-owner']],
  ['plain', 'new', []],
  ['plain', 'same', []],
];

describePostgres('a database restored from a dump', () => {
  it.each(WAYS)('in %s format, under the %s name, goes on in the same tables %j', async (format, name, options) => {
    const product = await createProduct({ mode: 'propose' });
    const url = await freshDatabase();
    product.at('2026-11-29T12:00:00Z');
    expect(await at(product, url, 'a')(['report'])).toMatchObject({ code: 0 });
    if (format === 'custom') await onDatabase(url, NUMBERED);
    const dump = dumpOf(url, format);
    product.at('2026-12-01T12:00:00Z');
    expect(await at(product, url, 'a')(['report'])).toMatchObject({ code: 0 });
    const expected = await shownIn(url);
    let restored = url;
    if (name === 'new') restored = await freshDatabase();
    else {
      await dropDatabase(url);
      await makeDatabase(databaseBeside(url, 'postgres'), undefined, url);
    }
    restoreDump(restored, dump, format, ...options);
    expect(await at(product, restored, 'b')(['report'])).toMatchObject({ code: 0 });
    expect(await shownIn(restored)).toEqual(expected);
    expect(await at(product, restored, 'b')(['doctor', '--offline'])).toMatchObject({ code: 0 });
    expect(await at(product, restored, 'b')(['audit', 'verify', '--offline'])).toMatchObject({ code: 0 });
  });
});

/** The service does not offer its change history. */
const WITHOUT_HISTORY: Product['fault'] = ({ query }) =>
  query?.includes('FROM change_event')
    ? { kind: 'status', status: 400, body: '{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"No."}}' }
    : undefined;

const EVENTS = 'SELECT kind FROM pacekeeper.budget_event ORDER BY id';
const FOREIGN = 'SELECT account_day, expected_micros, found_micros FROM pacekeeper.foreign_change';
const YESTERDAY = '2026-11-19T12:00:00Z';
const TODAY = '2026-11-20T12:00:00Z';
const TOMORROW = '2026-11-21T12:00:00Z';

/** A product that cut the budget from 60.00 to 51.00 yesterday and to 43.35 today, and a dump from between. */
async function afterDump() {
  const product = await createProduct();
  product.fault = WITHOUT_HISTORY;
  const url = await freshDatabase();
  const run = at(product, url, 'a');
  product.at(YESTERDAY);
  expect(await run(['report'])).toMatchObject({ code: 0 });
  const dump = dumpOf(url);
  product.at(TODAY);
  expect(await run(['report'])).toMatchObject({ code: 0 });
  expect(product.amount()).toBe(43_350_000n);
  return { product, url, run, dump };
}

async function restoredBeside() {
  const { product, dump } = await afterDump();
  const url = await freshDatabase();
  restoreDump(url, dump);
  return { product, url, run: at(product, url, 'b') };
}

/** Under the name of the database that it replaces. */
async function replace(url: string, dump: string): Promise<void> {
  await dropDatabase(url);
  await makeDatabase(databaseBeside(url, 'postgres'), undefined, url);
  restoreDump(url, dump);
}

const decisions = async (run: ReturnType<typeof at>) => {
  const { code, stdout } = await run(['report', '--format', 'json']);
  const { decisions: made } = JSON.parse(stdout) as { decisions: { state: string; code?: string }[] };
  return [code, ...made.map((decision) => decision.code ?? decision.state)];
};

const kinds = async (url: string) => (await onDatabase(url, EVENTS)).flat().map(String);

describePostgres('a database restored from an older dump', () => {
  it('changes no budget until a person unfreezes it, and says why', async () => {
    const { product, url, run } = await restoredBeside();
    product.at('2026-11-20T12:01:00Z');
    expect((await run(['doctor', '--offline'])).stdout).toMatch(/records .*a copy of another database, or restored/);
    const { code, stdout } = await run(['report']);
    expect([code, product.amount()]).toEqual([0, 43_350_000n]);
    expect(stdout).toMatch(
      /frozen by pacekeeper since \S+ \S+ UTC: the database was restored from a dump, or copied: budget changes made since then are not known\./,
    );
    expect((await run(['report'])).code).toBe(0);
    expect((await kinds(url)).filter((kind) => kind === 'restored' || kind === 'frozen')).toEqual([
      'restored',
      'frozen',
    ]);
    expect((await run(['budgets', 'history'])).stdout).toContain('a dump or a copy of the database');
    expect(await run(['audit', 'verify', '--offline'])).toMatchObject({ code: 0 });
    expect((await run(['doctor', '--offline'])).stdout).not.toContain('restored from');
  });

  it('leaves a budget unchanged for the day whose amount differs from the record, even if it is unfrozen at once', async () => {
    const { product, url, run } = await restoredBeside();
    product.at('2026-11-20T12:01:00Z');
    expect(await run(['unfreeze', '--why', 'I know'])).toMatchObject({ code: 0 });
    expect(await decisions(run)).toEqual([0, 'AMOUNT_IN_DOUBT']);
    product.at('2026-11-20T13:02:00Z');
    expect(await decisions(run)).toEqual([0, 'FOREIGN_CHANGE']);
    expect(product.amount()).toBe(43_350_000n);
    expect(await onDatabase(url, FOREIGN)).toEqual([['2026-11-20', '51000000', '43350000']]);
    product.at(TOMORROW);
    expect(await decisions(run)).toEqual([0, 'applied']);
    expect(product.amount()).toBe(36_850_000n);
  });

  it('under the same name is refused by the data folder that knows more, until somebody adopts it', async () => {
    const { product, url, run, dump } = await afterDump();
    await replace(url, dump);
    product.at('2026-11-20T12:30:00Z');
    for (const args of [['report'], ['status'], ['budgets', 'undo', 'B1'], ['unfreeze', '--why', 'x']]) {
      const { code, stderr } = await run(args);
      expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining('lacks run 2, but runs/2.json exists.')]);
      expect(stderr).toContain('run pacekeeper adopt');
    }
    expect((await run(['doctor', '--offline'])).stdout).toContain('lacks run 2');
    const adopted = await run(['adopt', '--why', 'the disk died']);
    expect(adopted).toMatchObject({ code: 0, stderr: '' });
    expect(adopted.stdout).toContain('The next run has the number 3.');
    expect(adopted.stdout).toContain('Budgets stay frozen until 2026-11-20 23:00 UTC.');
    expect(adopted.stdout).toContain('run pacekeeper unfreeze --why');
    expect((await kinds(url)).slice(-3)).toEqual(['restored', 'frozen', 'adopted']);
    expect(await run(['adopt', '--why', 'again'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Nothing to adopt'),
    });
    expect(await run(['unfreeze', '--why', 'x'])).toMatchObject({ stdout: expect.stringContaining('until') });
    expect(await decisions(run)).toEqual([0, 'FROZEN']);
    expect(existsSync(join(product.folder, 'a/runs/3.json'))).toBe(true);
    product.at(TOMORROW);
    expect(await decisions(run)).toEqual([0, 'applied']);
    expect(await onDatabase(url, FOREIGN)).toEqual([['2026-11-20', '51000000', '43350000']]);
    expect(await run(['audit', 'verify', '--offline'])).toMatchObject({ code: 0 });
  });

  it('is not noticed by its numbers after a physical restore, but by the newest run of the data folder', async () => {
    const { product, url, run } = await afterDump();
    const kept = await freshDatabase(url);
    product.at(TOMORROW);
    expect(await decisions(run)).toEqual([0, 'applied']);
    const back = async () => {
      await dropDatabase(url);
      await makeDatabase(url, kept, url);
    };
    await back();
    expect((await run(['report'])).stderr).toContain('lacks run 3, but runs/3.json exists.');
    // Another machine has taken the number meanwhile.
    expect(await at(product, url, 'b')(['extract'])).toMatchObject({ code: 0 });
    expect((await run(['report'])).stderr).toMatch(/lacks event \d+ of runs\/3\.json/);
    expect(await run(['adopt'])).toMatchObject({ code: 0, stdout: expect.stringContaining('has the number 4.') });
    expect(await decisions(run)).toEqual([0, 'FROZEN']);
  });

  it('is adopted with older tables, which are upgraded first', async () => {
    const { product, url, run, dump } = await afterDump();
    await replace(url, dump);
    await onDatabase(
      url,
      "DELETE FROM pacekeeper.schema_version WHERE name LIKE '%-copy-witness'",
      'DROP FUNCTION pacekeeper.system_id',
      'ALTER TABLE pacekeeper.run_lock DROP COLUMN system_id, DROP COLUMN database_oid, DROP COLUMN table_oid',
    );
    expect((await run(['report'])).stderr).toContain('run pacekeeper adopt');
    expect(await run(['freeze', '--why', 'what now?'])).toMatchObject({ code: 0 });
    expect(await run(['adopt', '--why', 'lost'])).toMatchObject({ code: 0 });
    expect(await decisions(run)).toEqual([0, 'FROZEN']);
    expect(product.amount()).toBe(43_350_000n);
    expect(await onDatabase(url, 'SELECT 1 FROM pacekeeper.run_lock WHERE table_oid = tableoid')).toHaveLength(1);
  });

  it('goes on after all is lost, with the number of the next run and no change today', async () => {
    const { product, url, run } = await afterDump();
    await dropDatabase(url);
    await makeDatabase(databaseBeside(url, 'postgres'), undefined, url);
    expect((await run(['report'])).stderr).toContain('lacks run 2');
    expect(await run(['adopt'])).toMatchObject({ code: 0, stdout: expect.stringContaining('has the number 3.') });
    expect(await decisions(run)).toEqual([0, 'FROZEN']);
    expect(product.amount()).toBe(43_350_000n);
  });

  it('is noted once by processes that open it at the same time, and not at all by one that fails', async () => {
    const { url } = await restoredBeside();
    await onDatabase(
      url,
      `CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.kind = 'frozen' THEN RAISE EXCEPTION 'killed'; END IF; RETURN NEW; END $$`,
      'CREATE TRIGGER fail BEFORE INSERT ON pacekeeper.budget_event FOR EACH ROW EXECUTE FUNCTION public.fail()',
    );
    const one = await freshStore(url);
    const other = await freshStore(url);
    const nowMs = Date.parse(TODAY);
    const before = await kinds(url);
    await expect(freezeIfCopied(one, nowMs)).rejects.toThrow('killed');
    expect([await isCopied(one.db), await kinds(url)]).toEqual([true, before]);
    await onDatabase(url, 'DROP TRIGGER fail ON pacekeeper.budget_event');
    await Promise.all([freezeIfCopied(one, nowMs), freezeIfCopied(other, nowMs)]);
    expect(await kinds(url)).toEqual([...before, 'restored', 'frozen']);
  });

  it('is left as it is by a user who cannot write it, and by one who may not read the number of the server', async () => {
    const { url } = await restoredBeside();
    await onDatabase(
      url,
      'DO $$ BEGIN CREATE ROLE onlooker LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$',
      'GRANT USAGE ON SCHEMA pacekeeper TO onlooker',
      'GRANT SELECT ON ALL TABLES IN SCHEMA pacekeeper TO onlooker',
    );
    const before = await kinds(url);
    const reader = await freshStore(url.replace(/keeper:[^@]+/, 'onlooker'));
    await freezeIfCopied(reader, Date.parse(TODAY));
    expect(await kinds(url)).toEqual(before);
    await onDatabase(
      url,
      'REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC',
      'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pacekeeper TO onlooker',
    );
    await freezeIfCopied(reader, Date.parse(TODAY));
    expect(await kinds(url)).toEqual([...before, 'restored', 'frozen']);
    // The owner may read it, which is no difference.
    await freezeIfCopied(await freshStore(url), Date.parse(TODAY));
    expect(await kinds(url)).toEqual([...before, 'restored', 'frozen']);
  });

  it('gets nothing from a worker that was at work in the replaced database', async () => {
    const { product, url, dump } = await afterDump();
    const worker = joinedLock({ runId: 1n, token: 1n, lease: () => undefined });
    const tokens = async () => (await onDatabase(url, worker.fence.sql())).length;
    await onDatabase(url, "UPDATE pacekeeper.run SET state = 'running' WHERE id = 1");
    expect(await tokens()).toBe(1);
    await replace(url, dump);
    await onDatabase(url, "UPDATE pacekeeper.run SET state = 'running' WHERE id = 1");
    expect(await tokens()).toBe(0);
    expect(product.amount()).toBe(43_350_000n);
  });

  it('stays frozen when its records move to files, and records that move to a database are not', async () => {
    const { product, url } = await restoredBeside();
    const move = (from: string, to: string) =>
      product.run(['migrate-store', '--from', from, '--to', to], {
        env: { PACEKEEPER_STORE_URL: url, OTHER_URL: other },
      });
    const other = await freshDatabase();
    expect(await move('env:PACEKEEPER_STORE_URL', 'c')).toMatchObject({ code: 0 });
    const inFiles = (args: readonly string[]) => product.run([...args, '--data-dir', 'c'], { width: 2000 });
    expect((await inFiles(['report'])).stdout).toContain('the database was restored from a dump');
    expect(await inFiles(['unfreeze', '--why', 'checked'])).toMatchObject({ code: 0 });
    expect(await move('c', 'env:OTHER_URL')).toMatchObject({ code: 0 });
    product.at(TOMORROW);
    expect((await at(product, other, 'c')(['report'])).stdout).not.toContain('No budget is changed');
  });

  it('has the later changes if a published file is adopted and moved there', async () => {
    const { product, url, run } = await afterDump();
    mkdirSync(join(product.folder, 'd'));
    expect(await run(['publish', '--to', 'sqlite', 'd/warehouse.sqlite'])).toMatchObject({ code: 0, stderr: '' });
    await dropDatabase(url);
    await makeDatabase(databaseBeside(url, 'postgres'), undefined, url);
    expect(await product.run(['adopt', '--data-dir', 'd', '--why', 'lost'])).toMatchObject({ code: 0 });
    const env = { PACEKEEPER_STORE_URL: url };
    const args = ['migrate-store', '--from', 'd', '--to', 'env:PACEKEEPER_STORE_URL'];
    expect(await product.run(args, { env })).toMatchObject({ code: 0, stderr: '' });
    const moved = at(product, url, 'd');
    expect((await moved(['budgets', 'history'])).stdout).toContain('43.35');
    expect(await decisions(moved)).toEqual([0, 'FROZEN']);
    product.at(TOMORROW);
    expect(await decisions(moved)).toEqual([0, 'applied']);
  });
});
