import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/temp-dir.ts';
import { NOON } from '../../support/world.ts';
import { runInProcess } from '../run-in-process.ts';

const QUERY = 'SELECT campaign.id AS ID, FROM campaign';
const OURS = 'SELECT\n  campaign.id AS id\nFROM campaign\n';

function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = tempDir();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const run = (folder: string, ...args: readonly string[]) => runInProcess(['import', ...args], { folder, width: 200 });
const read = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');

describe('an import that cannot begin', () => {
  it.each([
    ['missing', 'missing does not exist, expected a folder with query files.'],
    ['a.sql', 'a.sql is not a folder, expected a folder with query files.'],
    ['empty', 'No .sql or .gaql file in empty.'],
    ['queries', 'queries is the folder for the imported queries, expected another folder.'],
  ])('of %s ends with 2 and writes nothing', async (dir, message) => {
    const folder = folderWith({ 'a.sql': QUERY, 'empty/readme.md': '', 'queries/b.sql': OURS });
    const { code, stderr } = await run(folder, dir);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(readdirSync(join(folder, 'queries'))).toEqual(['b.sql']);
  });
});

describe('a file that cannot be imported', () => {
  it('is told with its place, and the others are written', async () => {
    const folder = folderWith({
      'in/good.sql': QUERY,
      'in/binary.sql': new Uint8Array([0xff, 0xd8, 0x00]),
      'in/nul.sql': 'SELECT \0',
      'in/huge.sql': ' '.repeat(5_000_000),
      'in/deep/wrong.gaql': 'SELECT campaign.id,\n campaign.nam AS n FROM campaign',
      'in/deep/target.sql': QUERY,
    });
    const { code, stdout } = await run(folder, 'in');
    expect(code).toBe(1);
    expect(stdout.match(/^in\/\S+ error/gm)).toEqual([
      'in/binary.sql:1:1: error',
      'in/deep/target.sql:1:1: error',
      'in/deep/wrong.gaql:2:2: error',
      'in/huge.sql:1:1: error',
      'in/nul.sql:1:1: error',
    ]);
    expect(stdout).toContain('1 file imported, 5 not.');
    expect(readdirSync(join(folder, 'queries'))).toEqual(['good.sql']);
  });

  it('clashes with an earlier one of the same table', async () => {
    const folder = folderWith({ 'in/Ad Groups.sql': QUERY, 'in/more/adGroups.sql': QUERY, 'in/x.sql': QUERY });
    const { code, stdout } = await run(folder, 'in');
    expect(code).toBe(1);
    expect(stdout).toContain('in/Ad Groups.sql -> queries/ad_groups.sql');
    expect(stdout).toContain('in/more/adGroups.sql:1:1: error: in/Ad Groups.sql already gives the table ad_groups.');
  });

  it.each(['queries/a.sql', 'queries/a.gaql', 'models/a.sql'])('overwrites no %s of yours', async (path) => {
    const folder = folderWith({
      'in/a.sql': 'SELECT campaign.id, 1 AS n FROM campaign',
      'in/b.sql': QUERY,
      [path]: '-- mine',
    });
    const { code, stdout } = await run(folder, 'in');
    expect(code).toBe(1);
    expect(stdout).toContain(`${path} already gives the table a.`);
    expect(read(folder, path)).toBe('-- mine');
    expect(existsSync(join(folder, 'queries/a_base.sql'))).toBe(false);
    expect(read(folder, 'queries/b.sql')).toBe(OURS);
  });
});

describe('an import', () => {
  it('can be repeated', async () => {
    const folder = folderWith({ 'in/a.sql': 'SELECT campaign.id, 1 AS n FROM campaign', 'in/b.sql': QUERY });
    const first = await run(folder, 'in');
    expect(await run(folder, 'in')).toEqual(first);
    expect(first.code).toBe(0);
  });

  it('reads subfolders, but no hidden ones, no packages, no links and not our own queries and models', async () => {
    const folder = folderWith({
      'x/a.SQL': QUERY,
      'x/.git/b.sql': QUERY,
      'node_modules/c.sql': QUERY,
      'queries/d.sql': OURS,
      'models/e.sql': 'SELECT 1',
    });
    symlinkSync(folder, join(folder, 'x/loop'));
    symlinkSync(join(folderWith({ 'f.sql': QUERY }), 'f.sql'), join(folder, 'x/outside.sql'));
    const { code, stdout } = await run(folder, '.');
    expect(code).toBe(0);
    expect(stdout).toContain('1 file imported, 0 not.');
    expect(readdirSync(join(folder, 'queries')).sort()).toEqual(['a.sql', 'd.sql']);
  });

  it('writes to the folder of --queries, and names the parameters without a value', async () => {
    const folder = folderWith({
      'pacekeeper.yaml': 'params: { known: x }\n',
      'in/a.sql':
        "SELECT campaign.id FROM campaign WHERE campaign.name IN ('{known}', '{other}') AND campaign.id = {id}",
    });
    const { code, stdout } = await run(folder, 'in', '--queries', 'mine');
    expect(code).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "in/a.sql -> mine/a.sql
        1:58   {known} is now :known.
        1:69   {other} is now :other.
        1:98   {id} is now :id.

      1 file imported, 0 not.
      Parameters to set with --param or under params in pacekeeper.yaml:
        other
        id

      Next:
        pacekeeper check
      "
    `);
    expect(read(folder, 'mine/a.sql')).toContain(':known, :other');
  });

  it('gives queries that the sandbox answers', async () => {
    const folder = folderWith({
      'in/Campaign Performance.sql': `SELECT segments.date AS day, campaign.id AS campaign_id, campaign.campaign_budget~0 AS budget,
        metrics.clicks / metrics.impressions AS ctr, metrics.cost_micros / 1e6 AS cost,
        FROM campaign WHERE segments.date BETWEEN '{start_date}' AND '{end_date}'`,
    });
    expect((await run(folder, 'in')).code).toBe(0);
    mkdirSync(join(folder, 'rules'));
    const { code, stderr } = await runInProcess(['extract', '--customer', '4081725530'], {
      folder,
      env: { PACEKEEPER_NOW: NOON },
    });
    expect(stderr).not.toContain('error');
    expect(code).toBe(0);
    const database = new Database(join(folder, 'data/warehouse.sqlite'), { readonly: true });
    const rows = database.prepare(read(folder, 'models/campaign_performance.sql')).all();
    database.close();
    expect(rows.length).toBeGreaterThan(0);
    expect(Object.keys(rows[0] as object)).toEqual([
      'customer_id',
      'date',
      'campaign_id',
      'budget',
      'ctr',
      'cost_micros',
    ]);
  });
});
