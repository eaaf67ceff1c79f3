import { endMoment, holdMoment, openStateToLook, type StateFile } from '../../storage/records/sqlite/open-state.ts';

interface Idle {
  readonly path: string;
  readonly files: string;
  readonly state: StateFile;
  readonly end: NodeJS.Timeout;
}

/** A command that needs the state file for itself waits longer than that. */
const IDLE_MS = 300;

let idle: Idle | undefined;

/**
 * All reads see the same moment. To open the file, to check it and to prepare statements takes a third of a page.
 * Visitors ask for many pages in a row. So the connection of an ended snapshot stays open for a moment. The next snapshot
 * is a new transaction on it. Two snapshots at a time never share a connection. A file that was replaced, migrated or
 * damaged meanwhile must be opened and checked again. So a connection serves only while `files` says that none changed.
 */
export async function openSnapshotOf(path: string, files: string, waitMs: number): Promise<StateFile> {
  const state = takeIdle(path, files) ?? (await openStateToLook(path, waitMs));
  holdMoment(state);
  return {
    ...state,
    async close() {
      endMoment(state);
      if (idle === undefined) idle = { path, files, state, end: setTimeout(closeIdle, IDLE_MS).unref() };
      else await state.close();
    },
  };
}

function takeIdle(path: string, files: string): StateFile | undefined {
  if (idle === undefined) return undefined;
  if (idle.path !== path || idle.files !== files) {
    closeIdle();
    return undefined;
  }
  const { state, end } = idle;
  clearTimeout(end);
  idle = undefined;
  return state;
}

function closeIdle(): void {
  if (idle === undefined) return;
  clearTimeout(idle.end);
  void idle.state.close();
  idle = undefined;
}
