import { mkdirSync } from 'node:fs';
import type { CommandApp } from '../../cli/command.ts';
import { instantText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import { addToken, readTokens, revokeToken, tokensPath } from '../../server/access-tokens.ts';
import type { TokenOptions } from './serve-command.ts';

/** Only the token goes to stdout, so that scripts can read the token. */
export async function runServeToken(app: CommandApp, options: TokenOptions): Promise<void> {
  refuseTwoAtOnce(options);
  const { settings, clock, output } = app;
  const { data } = settings.paths;
  const path = tokensPath(data);
  if (options.list) {
    const lines = readTokens(path).map(({ name, role, createdAt }) => `${name}  ${role}  created ${createdAt}\n`);
    output.stdout.write(lines.length === 0 ? 'No tokens.\n' : lines.join(''));
  } else if (options.revoke !== undefined) {
    const { revoke } = options;
    revokeToken(path, revoke);
    output.stderr.write(`The token ${options.revoke} is revoked, and all its logins have ended.\n`);
  } else {
    makeFolder(data);
    const { role = 'viewer' } = options;
    // The record names the token. "approved by default" would look like nobody's decision.
    const name = options.name ?? (role === 'viewer' ? 'default' : role);
    const token = addToken(path, { name, role }, instantText(clock.now()));
    output.stdout.write(`${token}\n`);
    output.stderr.write(
      `This is the token ${name}, with the role ${role}. Store it now, like a password: pacekeeper does not show it again.\n`,
    );
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o755 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new InputError(`Cannot create the data folder ${path}: found ${code}, expected a writable folder.`, {
      nextStep: 'Set another folder with --data-dir.',
      cause,
    });
  }
}

function refuseTwoAtOnce({ name, role, list, revoke }: TokenOptions): void {
  const makes = name === undefined ? role !== undefined && '--role' : '--name';
  const wanted = [makes, list && '--list', revoke !== undefined && '--revoke'];
  const given = wanted.filter((option) => option !== undefined && option !== false);
  if (given.length < 2) return;
  throw new InputError(
    `Conflicting options: found ${given.join(' and ')}, expected one of --name, --list and --revoke.`,
  );
}
