import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Measurement } from './measurement.ts';
import { childPath } from './run-child.ts';

/** What is measured: the built program. */
export const PROGRAM = resolve('dist/main.js');

/**
 * Runs the program in the folder, with this environment and no other, to its end. Seconds are those of the whole cold
 * process. Throws with the end of what it wrote when it does not end with 0.
 */
export async function runProgram(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Measurement> {
  const memory = join(folder, 'memory');
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['--import', pathToFileURL(childPath('note-memory')).href, PROGRAM, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', BENCH_MEMORY: memory, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  let said = '';
  for await (const text of child.stderr.setEncoding('utf8')) said = (said + text).slice(-2_000);
  const [code, signal] = await ended;
  const seconds = (performance.now() - startedMs) / 1_000;
  if (code !== 0)
    throw new Error(`pacekeeper ${args[0]}: found ${signal ?? `exit status ${code}`}, expected 0.\n${said}`);
  return { seconds, peakMiB: Number(readFileSync(memory, 'utf8')) / 1024 };
}
