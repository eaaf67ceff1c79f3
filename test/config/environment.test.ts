import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../src/config/setting-tree.ts';
import { InputError } from '../../src/domain/errors.ts';
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
