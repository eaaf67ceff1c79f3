import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll } from 'vitest';
import type { Role } from '../../src/domain/role.ts';
import { PROGRAM, runCli } from '../support/run-cli.ts';

export interface Served {
  readonly address: string;
  readonly token: string;
}

/** The built program serving the folder on a free port until the file's tests are over, with a token of its own. */
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
  afterAll(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  });
  if (child.stdout === null) throw new Error('Expected the output of the server.');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { address: (JSON.parse(line) as { address: string }).address, token: made.stdout.trim() };
}
