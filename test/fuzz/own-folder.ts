import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** For a file of tests that runs targets, which keep files for as long as they are: all of them go when its tests are done. */
export function keepFilesOfTargets(): void {
  const before = process.env.TMPDIR;
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
    process.env.TMPDIR = folder;
  });
  afterAll(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true });
  });
}
