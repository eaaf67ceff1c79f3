import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { runInProcess } from '../commands/run-in-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TRIM_QUERIES } from '../support/trim-rule.ts';
import { NOON, writeFolder } from '../support/world.ts';

const MODEL = { 'clicks.sql': 'SELECT customer_id, date, sum(clicks) AS clicks FROM stats GROUP BY customer_id, date' };

let here: string;
let shop: string;

const pacekeeper = (...args: readonly string[]) =>
  runInProcess([...args, '--config', 'shop/pacekeeper.yaml'], { folder: here, env: { PACEKEEPER_NOW: NOON } });

const tables = (data: string) => {
  const file = new Database(join(data, 'warehouse.sqlite'), { readonly: true });
  const names = file.prepare('SELECT name FROM sqlite_schema').pluck().all();
  file.close();
  return names;
};

beforeEach(() => {
  here = tempDir();
  shop = join(here, 'shop');
  mkdirSync(shop);
  writeFileSync(join(shop, 'pacekeeper.yaml'), 'sandbox: { seed: 1 }\n');
  writeFolder(shop, 'queries', TRIM_QUERIES);
  writeFolder(shop, 'rules', {});
});

describe('with --config, what is beside the settings file counts', () => {
  it('reads its queries, rules, models and data, and nothing of the current folder', async () => {
    writeFolder(shop, 'models', MODEL);
    writeFolder(here, 'queries', { 'broken.sql': 'SELECT nothing' });
    writeFolder(here, 'rules', { 'broken.yaml': 'from: nothing' });
    writeFolder(here, 'models', { 'broken.sql': 'SELECT * FROM nothing' });
    expect(await pacekeeper('check')).toMatchObject({ code: 0, stdout: expect.stringContaining('2 files, 0 errors') });
    expect(await pacekeeper('report')).toMatchObject({ code: 0, stderr: expect.not.stringContaining('is not used') });
    expect(tables(join(shop, 'data'))).toEqual(expect.arrayContaining(['stats', 'clicks']));
    expect(existsSync(join(here, 'data'))).toBe(false);
  });

  it('reads its .env, whose paths begin there', async () => {
    writeFileSync(join(here, '.env'), 'PACEKEEPER_TARGET=live\n');
    writeFileSync(join(shop, '.env'), 'PACEKEEPER_MARKET=no-market.csv\n');
    const { code, stderr } = await pacekeeper('report');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(join(shop, 'no-market.csv')) });
  });

  it('an option names another folder, from the current one', async () => {
    renameSync(join(shop, 'queries'), join(here, 'other'));
    expect(await pacekeeper('check', '--queries', 'other')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 file, 0 errors'),
    });
  });
});

describe('what earlier versions used in the current folder', () => {
  it.each([
    ['queries', '--queries', 2],
    ['rules', '--rules', 2],
    ['models', '--models', 0],
  ])('%s is named', async (name, option, code) => {
    writeFolder(shop, 'models', {});
    renameSync(join(shop, name), join(here, name));
    const { code: found, stderr } = await pacekeeper('report');
    expect(found).toBe(code);
    expect(stderr).toContain(
      `${join(here, name)} is not used, because it is not beside the settings file ${join(shop, 'pacekeeper.yaml')}. Move it there, or name it with ${option}.`,
    );
  });

  const ENV_UNUSED = () => `${join(here, '.env')} is not used, because it is not beside the settings file`;

  it('.env is named, also if its settings are lacking now', async () => {
    writeFileSync(join(here, '.env'), 'ADS_URL=http://127.0.0.1:1\n');
    expect((await pacekeeper('report')).stderr).toContain(ENV_UNUSED());
    writeFileSync(join(shop, 'pacekeeper.yaml'), 'target: live\n');
    const { code, stderr } = await pacekeeper('report');
    expect({ code, stderr: stderr.replaceAll(/\s+/g, ' ') }).toEqual({
      code: 2,
      stderr: expect.stringContaining(ENV_UNUSED()),
    });
  });

  it('.env of another program is not named', async () => {
    writeFileSync(join(here, '.env'), 'PORT=80\n');
    expect((await pacekeeper('status')).stderr).not.toContain('.env');
  });

  it.each(['PACEKEEPER_STORE_URL', 'PACEKEEPER_STORE_URL_FILE'])(
    '.env with %s stops every command, because the records would begin anew in files',
    async (name) => {
      writeFileSync(join(here, '.env'), `${name}=postgres://127.0.0.1/x\n`);
      const { code, stderr } = await pacekeeper('report');
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('.env names a database') });
      expect(existsSync(join(shop, 'data'))).toBe(false);
      writeFileSync(join(shop, '.env'), '');
      expect((await pacekeeper('config', 'show')).code).toBe(0);
    },
  );

  it.each([
    ['the file FREEZE', ['FREEZE'], 0, 'frozen by the file FREEZE'],
    ['runs, because state.sqlite was lost', ['runs'], 2, 'but the data folder was used before'],
    ['warehouse.sqlite, because state.sqlite was lost', ['warehouse.sqlite'], 2, 'but the data folder was used before'],
  ])('a data folder that has only %s goes on', async (_, names, code, words) => {
    await pacekeeper('report', '--data-dir', 'all');
    writeFileSync(join(here, 'all', 'FREEZE'), '');
    mkdirSync(join(here, 'data'));
    for (const name of names) renameSync(join(here, 'all', name), join(here, 'data', name));
    const { code: found, stdout, stderr } = await pacekeeper('report', '--verbose');
    expect(found).toBe(code);
    expect(stdout + stderr).toContain(words);
    expect(existsSync(join(shop, 'data'))).toBe(false);
  });

  it('a data folder with records goes on, and is named', async () => {
    await pacekeeper('report', '--data-dir', 'data');
    const { code, stderr } = await pacekeeper('report');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(
        `The data folder is ${join(here, 'data')}, as in earlier versions, and not beside the settings file`,
      ),
    });
    expect(existsSync(join(shop, 'data'))).toBe(false);
    const doctor = await pacekeeper('doctor', '--format', 'json');
    expect(doctor.stdout).toContain('as in earlier versions');
  });

  it.each([
    ['can belong to other settings there', () => writeFileSync(join(here, 'pacekeeper.yaml'), '')],
    ['is one of two with records', () => pacekeeper('report', '--data-dir', 'shop/data')],
  ])('a data folder with records that %s is not used without a word', async (_, prepare) => {
    await pacekeeper('report', '--data-dir', 'data');
    await prepare();
    const { code, stderr } = await pacekeeper('report');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Two data folders are possible') });
    expect(await pacekeeper('report', '--data-dir', 'shop/data')).toMatchObject({ code: 0 });
  });

  it('the data of other settings is left alone, if the settings in use have data of their own', async () => {
    writeFileSync(join(here, 'pacekeeper.yaml'), '');
    await pacekeeper('report', '--data-dir', 'data');
    await pacekeeper('report', '--data-dir', 'shop/data');
    expect(await pacekeeper('report')).toMatchObject({ code: 0, stderr: expect.not.stringContaining('data folder') });
  });
});

it('tables of models that are not found any more are named once', async () => {
  writeFolder(shop, 'models', MODEL);
  expect((await pacekeeper('report')).code).toBe(0);
  mkdirSync(join(here, 'empty'));
  const notes = async () =>
    JSON.parse((await pacekeeper('report', '--models', 'empty', '--format', 'json')).stdout).notes;
  const gone = `No longer published: clicks. No query defines this, and no model in ${join(here, 'empty')}.`;
  expect(await notes()).toContain(`${gone} If a model is missing, name its folder with --models.`);
  expect(await notes()).not.toContainEqual(expect.stringContaining('No longer published'));
});
