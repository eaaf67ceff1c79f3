import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of the test's own, gone when the test ends. */
export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
