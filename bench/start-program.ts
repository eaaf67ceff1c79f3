import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { childPath } from './run-child.ts';
import { PROGRAM } from './run-program.ts';

/** The program, running beside the soak. */
export interface StartedProgram {
  readonly pid: number;
  /** The first line that it printed. */
  readonly ready: string;
  /** The end of what it wrote, and of what its own processes did. */
  said(): string;
  /** Throws with the end of what it wrote once it has ended by itself. */
  check(): void;
  /** Asks it to end; rejects when it does not end with 0. */
  stop(): Promise<void>;
}

/** Starts a command that stays, in the time of the soak, and waits until it says that it is ready. */
export async function startProgram(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<StartedProgram> {
  const child = spawn(process.execPath, ['--import', pathToFileURL(childPath('soaked')).href, PROGRAM, ...args], {
    ...{ cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  // Whoever stops the soak stops what it has started.
  const follow = () => child.kill('SIGTERM');
  process.once('exit', follow);
  const ended = once(child, 'close').finally(() => process.off('exit', follow));
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const failure = () => new Error(`pacekeeper ${args[0]}: found ${endOf(child)}, expected it to go on.\n${said}`);
  const [ready] = await Promise.race([once(child.stdout?.setEncoding('utf8') ?? child, 'data'), ended]);
  if (typeof ready !== 'string' || child.pid === undefined) throw failure();
  child.stdout?.resume();
  return {
    ...{ pid: child.pid, ready, said: () => said },
    check() {
      if (child.exitCode !== null || child.signalCode !== null) throw failure();
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      if (child.exitCode !== 0) throw failure();
    },
  };
}

function endOf({ exitCode, signalCode }: ChildProcess): string {
  return signalCode ?? `exit status ${exitCode}`;
}
