import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readQuerySettings } from '../../src/config/read-settings.ts';
import { tempDir } from '../support/temp-dir.ts';

function folderWith(config: string): string {
  const folder = tempDir();
  writeFileSync(join(folder, 'pacekeeper.yaml'), config);
  return folder;
}

describe('the settings for checking queries', () => {
  it.each([
    ['a file that names the catalogue', 'ads: { catalogue: spec }', 'spec', []],
    ['a file with parameters', 'params: { campaigns: [1, 2] }', 'auto', [['campaigns', ['1', '2']]]],
    ['a name spelt with escapes', '"p\\x61rams": { x: y }', 'auto', [['x', ['y']]]],
    ['a file with neither', 'target: sandbox', 'auto', []],
    ['a comment with them', '# ads: { catalogue: spec }', 'auto', []],
  ])('come from the file: %s', (_, config, catalogue, parameters) => {
    const settings = readQuerySettings(folderWith(config), {}, {});
    expect(settings.ads.catalogue).toBe(catalogue);
    expect([...settings.params]).toEqual(parameters);
  });

  it('ignore a half-configured service', () => {
    const folder = folderWith('target: live\nads: { url: https://ads.example.com }');
    expect(readQuerySettings(folder, {}, {})).toMatchObject({ ads: { catalogue: 'auto' } });
  });

  it('report every mistake of the file', () => {
    for (const config of ['params: { today: 1 }', 'ads: { catalogue: newest }']) {
      expect(() => readQuerySettings(folderWith(config), {}, {})).toThrow(/cannot be used/);
    }
    expect(() => readQuerySettings(tempDir(), { config: 'missing.yaml' }, {})).toThrow(/ENOENT/);
    expect(() => readQuerySettings(tempDir(), {}, { PACEKEEPER_NOW: 'soon' })).toThrow(/PACEKEEPER_NOW/);
  });

  it('are refused if the file is unreadable', () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'pacekeeper.yaml'));
    expect(() => readQuerySettings(folder, {}, {})).toThrow(/EISDIR/);
  });

  it('include the start time of the clock', () => {
    const { startAtMs } = readQuerySettings(tempDir(), {}, { PACEKEEPER_NOW: '2026-03-01T12:00:00Z' });
    expect(startAtMs).toBe(Date.parse('2026-03-01T12:00:00Z'));
  });
});
