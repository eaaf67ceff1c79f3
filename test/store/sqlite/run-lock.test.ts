import { describe, expect, it } from 'vitest';
import { acquireRunLock } from '../../../src/storage/records/sqlite/run-lock.ts';
import { tempDir } from '../../support/temp-dir.ts';

describe('the lock of a data folder', () => {
  it('has one holder at a time and names it', () => {
    const folder = tempDir();
    const first = acquireRunLock(folder, 'pacekeeper report', '2026-11-20T12:00:00Z');
    const second = acquireRunLock(folder, 'pacekeeper report', '2026-11-20T12:00:01Z');
    expect(first.kind).toBe('acquired');
    expect(second).toEqual({
      kind: 'held',
      command: 'pacekeeper report',
      since: '2026-11-20T12:00:00Z',
      holder: expect.stringMatching(`^pacekeeper report, process ${process.pid} on .+, since 2026-11-20T12:00:00Z$`),
    });
    if (first.kind === 'acquired') first.release();
  });

  it('is free again after release', () => {
    const folder = tempDir();
    for (const since of ['2026-11-20T12:00:00Z', '2026-11-20T13:00:00Z']) {
      const lock = acquireRunLock(folder, 'pacekeeper report', since);
      expect(lock.kind).toBe('acquired');
      if (lock.kind === 'acquired') lock.release();
    }
  });
});
