import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withState } from '../src/app.ts';
import { readSettings } from '../src/config/read-settings.ts';
import { openState } from '../src/store/open-state.ts';
import { fakeClock } from './support/fake-time.ts';
import { tempDir } from './support/temp-dir.ts';

const deps = { clock: fakeClock('2026-11-20T12:00:00Z'), log: { info: () => undefined, warn: () => undefined } };

async function settingsOf(dataDir: string) {
  return readSettings(tempDir(), { dataDir }, {});
}

describe('a job of the databases alone', () => {
  it('is told that nothing was read yet, and leaves no folder behind', async () => {
    const dataDir = join(tempDir(), 'data');
    const job = withState(await settingsOf(dataDir), deps, 'a test', async () => 1);
    await expect(job).rejects.toThrow('state.sqlite: nothing was read yet.');
    expect(existsSync(dataDir)).toBe(false);
  });

  it('has the data folder for itself until it ends, even when it fails', async () => {
    const dataDir = tempDir();
    await (await openState(join(dataDir, 'state.sqlite'))).close();
    const settings = await settingsOf(dataDir);
    const failing = withState(settings, deps, 'the first', async () => {
      const second = await withState(settings, deps, 'the second', async () => 2);
      expect(second).toMatchObject({ kind: 'busy', holder: expect.stringContaining('the first, process') });
      throw new Error('wrong');
    });
    await expect(failing).rejects.toThrow('wrong');
    const count = await withState(settings, deps, 'the third', async ({ state }) =>
      state.connection.prepare('SELECT count(*) FROM run').pluck().get(),
    );
    expect(count).toEqual({ kind: 'done', value: 0n });
  });
});
