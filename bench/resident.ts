import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const MIB = 1024 * 1024;

/** The resident set of a process that runs, in MiB. */
export function residentMiB(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) / 1024;
}

/** How many files, sockets and the like a process that runs has open. */
export function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** 0 for a file that is not there. */
export function fileMiB(folder: string, name: string): number {
  return (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0) / MIB;
}
