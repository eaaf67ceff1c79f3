import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replaceFile } from '../../src/storage/files/replace-file.ts';
import { PROGRAM } from '../support/run-cli.ts';
import { tempDir } from '../support/temp-dir.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the data folder of a user with a permissive umask', () => {
  it('is not writable by others, and only published files are readable by them', () => {
    const folder = tempDir();
    for (const name of ['queries', 'rules']) mkdirSync(join(folder, name));
    // It has few rows, and the files are the same.
    symlinkSync(resolve('queries/campaign_spend.sql'), join(folder, 'queries', 'campaign_spend.sql'));
    const run = (...args: string[]) =>
      spawnSync('sh', ['-c', 'umask 000; exec "$@"', 'sh', process.execPath, PROGRAM, ...args], {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: process.env.PATH ?? '' },
      });
    expect(run('serve', 'token').status).toBe(0);
    const { status, stderr } = run('report', '--customer', '4081725530');
    expect([status, stderr.includes('error')]).toEqual([0, false]);
    const data = join(folder, 'data');
    const modes = Object.fromEntries(readdirSync(data).map((name) => [name, modeOf(join(data, name))]));
    expect(modeOf(data)).toBe('755');
    const published = ['metadata.json', 'report.html', 'warehouse.sqlite'];
    const { runs, ...files } = modes;
    expect(runs).toBe('700');
    expect(Object.keys(files)).toEqual(expect.arrayContaining(['lock.sqlite', 'sandbox.sqlite', 'serve-tokens.json']));
    for (const [name, mode] of Object.entries(files)) {
      expect([name, mode]).toEqual([name, published.includes(name) ? '644' : '600']);
    }
  });
});

describe('a file that replaces another', () => {
  it('replaces a link, not its target', async () => {
    const folder = tempDir();
    const elsewhere = join(folder, 'elsewhere');
    writeFileSync(elsewhere, 'of somebody');
    const path = join(folder, 'report.html');
    symlinkSync(elsewhere, path);
    symlinkSync(elsewhere, join(folder, '.report.html.next'));
    await replaceFile(path, async (next) => writeFileSync(next, 'the report'));
    expect(readFileSync(elsewhere, 'utf8')).toBe('of somebody');
    expect([lstatSync(path).isSymbolicLink(), readFileSync(path, 'utf8')]).toEqual([false, 'the report']);
  });

  it('is private until complete, then readable by everybody', async () => {
    const path = join(tempDir(), 'words.csv');
    let before = '';
    await replaceFile(path, async (next) => {
      before = modeOf(next);
      writeFileSync(next, 'words');
    });
    expect([before, modeOf(path)]).toEqual(['600', '644']);
  });

  it('is not written over a folder', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, '.words.csv.next', 'held'), { recursive: true });
    chmodSync(join(folder, '.words.csv.next'), 0o700);
    await expect(replaceFile(join(folder, 'words.csv'), async () => undefined)).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['.words.csv.next']);
  });
});
