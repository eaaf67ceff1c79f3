import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/temp-dir.ts';
import { runInProcess } from '../run-in-process.ts';

const ENV = { PACEKEEPER_NOW: '2026-11-20T12:00:00Z' };

function tokenIn(folder: string) {
  return (...args: readonly string[]) => runInProcess(['serve', 'token', ...args], { folder, env: ENV });
}

describe('pacekeeper serve token', () => {
  it('prints a token once, alone on stdout, and stores its digest readable by the owner only', async () => {
    const folder = tempDir();
    const token = tokenIn(folder);
    const { code, stdout, stderr } = await token('--name', 'anna');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^pk_[\w-]{43}\n$/)]);
    expect(stderr).toBe(
      'This is the token anna, with the role viewer. Store it now, like a password: pacekeeper does not show it again.\n',
    );
    const path = join(folder, 'data', 'serve-tokens.json');
    const kept = readFileSync(path, 'utf8');
    expect(JSON.parse(kept)).toEqual([
      {
        name: 'anna',
        role: 'viewer',
        created_at: '2026-11-20T12:00:00Z',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(kept).not.toContain(stdout.trim());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await token('--list')).stdout).toBe('anna  viewer  created 2026-11-20 12:00 UTC\n');
  });

  it('gives a token the wanted role, and takes one without a role for a viewer', async () => {
    const folder = tempDir();
    const token = tokenIn(folder);
    await token('--name', 'ben', '--role', 'approver');
    await token('--name', 'eva', '--role', 'admin');
    const path = join(folder, 'data', 'serve-tokens.json');
    const entries = JSON.parse(readFileSync(path, 'utf8')) as object[];
    writeFileSync(path, JSON.stringify([...entries, { ...entries[0], name: 'old', role: undefined }]));
    expect((await token('--list')).stdout).toMatch(/^ben {2}approver .*\neva {2}admin .*\nold {2}viewer .*\n$/);
    expect((await token('--name', 'x', '--role', 'owner')).code).toBe(2);
    writeFileSync(path, JSON.stringify([{ ...entries[0], role: 'owner' }]));
    expect((await token('--list')).code).toBe(2);
  });

  it('creates a second token, and revokes one without the other', async () => {
    const token = tokenIn(tempDir());
    const first = await token();
    const second = await token('--name', 'prometheus');
    expect(first.stdout).not.toBe(second.stdout);
    expect((await token('--revoke', 'default')).stderr).toMatch(/^The token default is revoked, and all its logins/);
    expect((await token('--list')).stdout).toMatch(/^prometheus {2}viewer {2}created [-\d]+ [\d:]+ UTC\n$/);
    await token('--revoke', 'prometheus');
    expect((await token('--list')).stdout).toBe('No tokens.\n');
  });

  it.each<[sentence: string, args: readonly string[], words: RegExp]>([
    ['an existing name', ['--name', 'anna'], /Token anna exists already[\s\S]*--revoke anna/],
    ['a path as a name', ['--name', '../anna'], /Invalid token name: found "..\/anna", expected up to 40/],
    ['a name that is too long', ['--name', 'a'.repeat(41)], /Invalid token name: found ".*", expected up to 40/],
    ['an empty name', ['--name', ''], /Invalid token name: found ".*", expected up to 40/],
    [
      'the revocation of an unknown token',
      ['--revoke', 'ben'],
      /No such token\. Existing tokens: anna\.[\s\S]*--revoke/,
    ],
    ['two actions at once', ['--list', '--revoke', 'anna'], /found --list and --revoke, expected one of/],
    ['two other actions at once', ['--name', 'ben', '--revoke', 'anna'], /found --name and --revoke, expected one of/],
  ])('refuses %s, and changes nothing', async (_sentence, args, words) => {
    const folder = tempDir();
    await tokenIn(folder)('--name', 'anna');
    const before = readFileSync(join(folder, 'data', 'serve-tokens.json'), 'utf8');
    const { code, stdout, stderr } = await tokenIn(folder)(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(words);
    expect(readFileSync(join(folder, 'data', 'serve-tokens.json'), 'utf8')).toBe(before);
  });

  it.each<[sentence: string, args: readonly string[]]>([
    ['creates', ['--name', 'ben']],
    ['revokes', ['--revoke', 'anna']],
  ])('%s no token while another process changes them', async (_sentence, args) => {
    const folder = tempDir();
    await tokenIn(folder)('--name', 'anna');
    const beside = join(folder, 'data', 'serve-tokens.json.new');
    writeFileSync(beside, '');
    const { code, stdout, stderr } = await tokenIn(folder)(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/Another "pacekeeper serve token" is changing the tokens[\s\S]*serve-tokens\.json\.new/);
    expect((await tokenIn(folder)('--list')).stdout).toMatch(/^anna {2}viewer {2}created [-\d]+ [\d:]+ UTC\n$/);
    rmSync(beside);
    expect((await tokenIn(folder)(...args)).code).toBe(0);
    expect(existsSync(beside)).toBe(false);
  });

  it.each<[sentence: string, spoil: (folder: string) => void, args: readonly string[], words: RegExp]>([
    [
      'be created',
      (folder) => writeFileSync(join(folder, 'data'), ''),
      [],
      /Cannot create the data folder .*data: found EEXIST[\s\S]*--data-dir/,
    ],
    [
      'be read',
      (folder) => mkdirSync(join(folder, 'data', 'serve-tokens.json'), { recursive: true }),
      ['--list'],
      /Reading \S+serve-tokens\.json failed: found EISDIR/,
    ],
  ])('shows the next step if the folder or the file cannot %s', async (_sentence, spoil, args, words) => {
    const folder = tempDir();
    spoil(folder);
    const { code, stderr } = await tokenIn(folder)(...args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
  });

  it('uses the given data folder', async () => {
    const folder = tempDir();
    await tokenIn(folder)('--data-dir', 'elsewhere');
    expect(statSync(join(folder, 'elsewhere', 'serve-tokens.json')).isFile()).toBe(true);
  });
});
