import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEnvironment, SECRET_SETTINGS } from '../../src/config/setting-tree.ts';
import { InputError } from '../../src/domain/errors.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { tempDir } from '../support/temp-dir.ts';

function withEnvFile(text: string): string {
  const folder = tempDir();
  writeFileSync(join(folder, '.env'), text);
  return folder;
}

describe('the environment', () => {
  it('without .env, is the environment of the process', () => {
    expect(readEnvironment(tempDir(), { ADS_URL: 'a' })).toEqual({ ADS_URL: 'a' });
  });

  it('includes the values of .env', () => {
    const folder = withEnvFile(
      '# A comment\nADS_URL=https://a.example\nexport ADS_CLIENT_ID="b c"\n\nMESSAGES_TO=\'d\'\n',
    );
    expect(readEnvironment(folder, { HOME: '/h' })).toEqual({
      ADS_URL: 'https://a.example',
      ADS_CLIENT_ID: 'b c',
      MESSAGES_TO: 'd',
      HOME: '/h',
    });
  });

  it.each([
    ['a value of the process wins over .env', 'process', 'process'],
    ['a name without a value counts as absent', '', 'file'],
    ['a blank value counts as absent', '  ', 'file'],
    ['an undefined value counts as absent', undefined, 'file'],
  ])('%s', (_, value, expected) => {
    expect(readEnvironment(withEnvFile('ADS_URL=file'), { ADS_URL: value }).ADS_URL).toBe(expected);
  });

  it.each([
    ['a byte order mark', '\uFEFFADS_URL=a\n'],
    ['Windows line ends', 'ADS_URL=a\r\nADS_VERSION=v25\r\n'],
    ['spaces around the sign', 'ADS_URL = a\n'],
  ])('accepts a .env with %s', (_, text) => {
    expect(readEnvironment(withEnvFile(text), {}).ADS_URL).toBe('a');
  });

  it('accepts an empty .env', () => {
    expect(readEnvironment(withEnvFile(''), {})).toEqual({});
  });

  it('refuses an unreadable .env', () => {
    const folder = tempDir();
    mkdirSync(join(folder, '.env'));
    expect(() => readEnvironment(folder, {})).toThrow(InputError);
    expect(() => readEnvironment(folder, {})).toThrow(/\.env cannot be read: EISDIR/);
  });
});

describe('a secret in a file', () => {
  it.each(SECRET_SETTINGS.flatMap(({ env }) => env))('%s_FILE names a file with the value', (name) => {
    const folder = tempDir();
    writeFileSync(join(folder, 'secret'), 'a secret \n');
    expect(readEnvironment(folder, { [`${name}_FILE`]: 'secret' })[name]).toBe('a secret ');
  });

  it('is where config show says that the setting is from', async () => {
    const folder = withEnvFile('MESSAGES_PASSWORD_FILE=secret\n');
    writeFileSync(join(folder, 'secret'), 'a-password');
    writeFileSync(join(folder, 'pacekeeper.yaml'), 'graph: { app_secret: old }\n');
    const env = { GRAPH_APP_SECRET_FILE: 'secret' };
    const { stdout } = await runInProcess(['config', 'show', '--format', 'csv'], { folder, env, width: 200 });
    expect(stdout).toMatch(/"graph\.app_secret","set \(hidden\)","environment GRAPH_APP_SECRET_FILE"/);
    expect(stdout).toMatch(/"messages\.password","set \(hidden\)","\.env MESSAGES_PASSWORD_FILE"/);
  });

  it('of the process wins over the value in .env, and a value of the process over the file in .env', () => {
    const folder = withEnvFile('GRAPH_APP_SECRET=old\nADS_CLIENT_SECRET_FILE=missing\n');
    writeFileSync(join(folder, 'secret'), 'new');
    const found = readEnvironment(folder, { GRAPH_APP_SECRET_FILE: 'secret', ADS_CLIENT_SECRET: 'own' });
    expect([found.GRAPH_APP_SECRET, found.ADS_CLIENT_SECRET]).toEqual(['new', 'own']);
  });

  it.each([
    [
      'beside its value',
      { GRAPH_APP_SECRET: 'hidden', GRAPH_APP_SECRET_FILE: 'empty' },
      /both GRAPH_APP_SECRET and GRAPH_APP_SECRET_FILE/,
    ],
    ['that is empty', { GRAPH_APP_SECRET_FILE: 'empty' }, /^GRAPH_APP_SECRET_FILE names .*empty, which is empty/],
    ['that is missing', { GRAPH_APP_SECRET_FILE: 'nowhere' }, /^GRAPH_APP_SECRET_FILE names .*nowhere, .* ENOENT/],
  ])('%s is refused', (_, environment, message) => {
    const folder = tempDir();
    writeFileSync(join(folder, 'empty'), ' \n');
    const read = () => readEnvironment(folder, environment);
    expect(read).toThrow(InputError);
    expect(read).toThrow(message);
    expect(read).not.toThrow(/hidden/);
  });
});

describe('an unknown variable', () => {
  it('is named with the nearest setting, never with its value', async () => {
    const env = {
      ADS_CLIENT_SECRT: 'hidden',
      OTHER: 'x',
      PACEKEEPER_PORT: 'tcp://10.0.0.1:80',
      GRAPH_APP_SECRET_FLE: 'y',
    };
    const { stdout, stderr } = await runInProcess(['status'], { folder: tempDir(), env });
    expect(stderr.match(/The variable .*/g)).toEqual([
      expect.stringMatching(/ADS_CLIENT_SECRT .* Did you mean ADS_CLIENT_SECRET\?/),
      expect.stringMatching(/GRAPH_APP_SECRET_FLE .* Did you mean GRAPH_APP_SECRET_FILE\?/),
    ]);
    expect(stdout + stderr).not.toContain('hidden');
  });
});
