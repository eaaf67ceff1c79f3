import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

export interface CliResult {
  /** Null when the process was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with the process as soon as it runs. */
  readonly onStart?: (child: ChildProcess) => void;
  /** The program as a file, if not the built one. */
  readonly program?: string | undefined;
}

export const PROGRAM = resolve('dist/main.js');

/** Processes of the tests compile the program once, not each for itself. */
export const COMPILED = resolve('node_modules/.cache/pacekeeper-tests');

/** Runs the built program as a process of its own, with nothing of the test's environment but the path. */
export function runCli(
  args: readonly string[],
  { cwd, env, onStart, program = PROGRAM }: CliOptions,
): Promise<CliResult> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onStart?.(child);
  const text = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text.stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text.stderr += chunk;
  });
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code) => done({ code, ...text }));
  });
}
