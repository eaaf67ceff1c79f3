import { isOlderDatabase } from '../../storage/records/postgres/open-records.ts';
import { acquireRunLock } from '../../storage/records/postgres/run-lock.ts';
import { upgradeTables } from '../../storage/records/postgres/upgrade-tables.ts';
import type { Engine, FolderDeps } from './engine.ts';
import { takeFolder, UPGRADE } from './take-folder.ts';

const WAIT_MS = 5000;

/** Waits for a run like a run does, and then throws `BusyError`. `refuse` is called before older tables are changed. */
export async function upgradeDatabase(
  url: string,
  place: Pick<Engine, 'place' | 'another'>,
  deps: FolderDeps,
  refuse: () => Promise<void> = async () => undefined,
): Promise<void> {
  if (!(await isOlderDatabase(url, WAIT_MS))) return;
  await refuse();
  const taken = { ...place, acquireRunLock: (command: string, since: string) => acquireRunLock(url, command, since) };
  const lock = await takeFolder(taken, { ...deps, followsRun: false }, UPGRADE);
  try {
    await upgradeTables({ url, waitMs: WAIT_MS, fence: lock.fence, log: deps.log });
  } finally {
    await lock.release();
  }
}
