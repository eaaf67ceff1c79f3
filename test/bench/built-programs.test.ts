import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { isThorough } from '../support/effort.ts';
import { tempDir } from '../support/temp-dir.ts';

/** The project with nothing built yet, whose bundles are of less than they should be: what is built when is the question here. */
function projectFolder(): string {
  const folder = tempDir();
  const { scripts, ...rest } = JSON.parse(readFileSync('package.json', 'utf8'));
  const quick = {
    ...scripts,
    bundle: scripts.bundle.replace('--splitting', '--packages=external'),
    soak: scripts.soak.replace('bench/*/*-child.ts', ''),
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...rest, scripts: quick }));
  for (const name of ['node_modules', 'src', 'bench']) symlinkSync(resolve(name), join(folder, name));
  return folder;
}

const npm = (folder: string, ...args: string[]) =>
  spawnSync('npm', ['run', '--silent', ...args], { cwd: folder, encoding: 'utf8' });

it('a build replaces the old program and keeps the sources of other programs', () => {
  const folder = projectFolder();
  for (const name of ['bench', 'fuzz']) mkdirSync(join(folder, 'dist', name), { recursive: true });
  for (const name of ['main.js', 'main.js.map', 'part-OLD.js', 'bench/soak.js', 'fuzz/worker.js'])
    writeFileSync(join(folder, 'dist', name), '');
  expect(npm(folder, 'clean').status).toBe(0);
  expect(readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' }).sort()).toEqual([
    'bench',
    'bench/soak.js',
    'fuzz',
    'fuzz/worker.js',
  ]);
});

it.runIf(isThorough)('a soak with wrong options exits with 2 before building', () => {
  const folder = projectFolder();
  const { status, stderr } = npm(folder, 'soak', '--', '--hours', '3');
  expect([status, stderr]).toEqual([2, expect.stringContaining('error: Reading --hours: found 3')]);
  expect(existsSync(join(folder, 'dist', 'bench', 'soak.js'))).toBe(true);
  expect(existsSync(join(folder, 'dist', 'main.js'))).toBe(false);
});
