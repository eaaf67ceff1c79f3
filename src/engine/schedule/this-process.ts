import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Distinguishes a process from a later process with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Machine, boot and namespace. Pids are comparable only within one place. */
  readonly place: string;
  /** Start time in the system's own unit. Empty if unknown. */
  readonly birth: string;
}

export function thisProcess(): ProcessIdentity {
  return processHere(process.pid);
}

export function processHere(pid: number): ProcessIdentity {
  const host = hostname();
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  // Containers on one machine may have the same host name, but each container has its own pids.
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid'));
  return { pid, host, place: `${host} ${boot} ${namespace}`, birth: statOf(pid).birth };
}

/** Returns `unknown` for a process of another machine, boot or container, or if another process may have the pid. */
export function fateOf(other: ProcessIdentity, self: ProcessIdentity): 'alive' | 'gone' | 'unknown' {
  if (other.place !== self.place) return 'unknown';
  const { state, birth } = other.pid === self.pid ? { ...self, state: '' } : statOf(other.pid);
  // A zombie has ended, and keeps its pid until its parent looks at it.
  if (state === 'Z' || state === 'X') return 'gone';
  if (birth !== '' && other.birth !== '') return birth === other.birth ? 'alive' : 'gone';
  // This process has the pid of the other process, so the other process has ended.
  if (other.pid === self.pid) return 'gone';
  return exists(other.pid) ? 'unknown' : 'gone';
}

/** Both are empty if unknown. Counts fields from the end of the program's name, because the name may contain spaces. */
function statOf(pid: number): { readonly state: string; readonly birth: string } {
  const line = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', birth: fields[19] ?? '' };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM';
  }
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    // Not every system has these files.
    return '';
  }
}

/** This environment variable contains the id of the job's tick and the token of the lease, such as `12.3`. */
export const TICK_VARIABLE = 'PACEKEEPER_TICK';
