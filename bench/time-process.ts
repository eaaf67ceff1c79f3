import { spawnSync } from 'node:child_process';

/** Seconds from the start of a cold process of this script to its end. Throws when it does not end with 0. */
export function timeProcess(script: string, args: readonly string[], folder: string): number {
  const startedMs = performance.now();
  const { status, signal, error } = spawnSync(process.execPath, [script, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
  const seconds = (performance.now() - startedMs) / 1_000;
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${script} failed: found ${signal ?? `exit status ${status}`}, expected 0.`);
  return seconds;
}
