import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Role } from '../../src/domain/role.ts';
import { PROGRAM, runCli } from '../support/run-cli.ts';

export interface Served {
  readonly address: string;
  readonly token: string;
  /** Stops the program, and waits for its end. */
  close(): Promise<void>;
}

/** The built program serving the folder on a free port, with a token of its own. */
export async function serveFolder(
  cwd: string,
  env: Readonly<Record<string, string>>,
  role: Role = 'viewer',
): Promise<Served> {
  const made = await runCli(['serve', 'token', '--name', 'browser', '--role', role], { cwd, env });
  if (made.code !== 0) throw new Error(made.stderr);
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    cwd,
    env: { PATH: process.env.PATH ?? '', SERVE_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (child.stdout === null) throw new Error('Expected the output of the server.');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  };
  return { address: (JSON.parse(line) as { address: string }).address, token: made.stdout.trim(), close };
}
