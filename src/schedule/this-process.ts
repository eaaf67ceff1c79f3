import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process, so that it can be told from a later one of the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Where the number means this process: machine, boot and namespace. */
  readonly place: string;
  /** When it began, in the system's own measure; empty where that is not known. */
  readonly birth: string;
}

export function thisProcess(): ProcessIdentity {
  return processHere(process.pid);
}

/** The process of that number, in the place of this one. */
export function processHere(pid: number): ProcessIdentity {
  const host = hostname();
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  // Containers share a kernel, sometimes a host name, and count their processes each for itself.
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid'));
  return { pid, host, place: `${host} ${boot} ${namespace}`, birth: birthOf(pid) };
}

/**
 * What is known of a process of another time from here: `alive` and `gone` are proven; `unknown` on another machine, or where
 * the system does not say when a process began and another one may have its number.
 */
export function fateOf(other: ProcessIdentity, self: ProcessIdentity): 'alive' | 'gone' | 'unknown' {
  if (other.place !== self.place) return 'unknown';
  const birth = other.pid === self.pid ? self.birth : birthOf(other.pid);
  if (birth !== '' && other.birth !== '') return birth === other.birth ? 'alive' : 'gone';
  // It has our number, and we are not it.
  if (other.pid === self.pid) return 'gone';
  return exists(other.pid) ? 'unknown' : 'gone';
}

/** The 22nd value of the line, counted behind the program's name, which may hold spaces and parentheses. */
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
    // Not every system has this place.
    return '';
  }
}

/** Under this name a job of the schedule is told for which due time it runs: the number of the tick and that of the lease, `12.3`. */
export const TICK_VARIABLE = 'PACEKEEPER_TICK';
