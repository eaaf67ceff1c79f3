import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Distinguishes a process from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** The scope of the pid: machine, boot and namespace. */
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
  // Containers share a kernel and sometimes a host name, but number processes separately.
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid'));
  return { pid, host, place: `${host} ${boot} ${namespace}`, birth: birthOf(pid) };
}

/** `alive` and `gone` are proven. `unknown`: another machine, or a pid that another process could have now. */
export function fateOf(other: ProcessIdentity, self: ProcessIdentity): 'alive' | 'gone' | 'unknown' {
  if (other.place !== self.place) return 'unknown';
  const birth = other.pid === self.pid ? self.birth : birthOf(other.pid);
  if (birth !== '' && other.birth !== '') return birth === other.birth ? 'alive' : 'gone';
  // The other process had our pid, so it has ended.
  if (other.pid === self.pid) return 'gone';
  return exists(other.pid) ? 'unknown' : 'gone';
}

/** The 22nd field of the line, counted after the program's name, which may contain spaces and parentheses. */
function birthOf(pid: number): string {
  return attempt(() => {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  });
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
    // Not every system has this file.
    return '';
  }
}

/** Passes the ids of tick and lease to a job, such as `12.3`. */
export const TICK_VARIABLE = 'PACEKEEPER_TICK';
