import { mkdirSync } from 'node:fs';
import type { Settings } from '../../config/settings.ts';
import { type TokenStore, tokensInFile, tokensPath } from '../../dashboard/server/access-tokens.ts';
import { instantText, minuteText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import type { Clock, Log } from '../../domain/ports.ts';
import { engineOf } from '../../engine/folder/engine.ts';
import type { CommandApp } from '../cli/command.ts';
import type { TokenOptions } from './serve-command.ts';

/** Only the token goes to stdout, so that scripts can read the token. */
export async function runServeToken(app: CommandApp, options: TokenOptions): Promise<void> {
  refuseTwoAtOnce(options);
  const { settings } = app;
  if (!options.list && options.revoke === undefined && settings.store.url === undefined)
    makeFolder(settings.paths.data);
  const tokens = await openTokens(settings, app);
  try {
    await work(app, options, tokens);
  } finally {
    await tokens.close();
  }
}

async function work({ clock, output }: CommandApp, options: TokenOptions, tokens: TokenStore): Promise<void> {
  const now = instantText(clock.now());
  if (options.list) {
    const lines = (await tokens.read()).map(
      ({ name, role, createdAt }) => `${name}  ${role}  created ${minuteText(createdAt)}\n`,
    );
    output.stdout.write(lines.length === 0 ? 'No tokens.\n' : lines.join(''));
  } else if (options.revoke !== undefined) {
    await tokens.revoke(options.revoke, now);
    output.stderr.write(`The token ${options.revoke} is revoked, and all its logins have ended.\n`);
  } else {
    const { role = 'viewer' } = options;
    // The record names the token. "approved by default" would look like nobody's decision.
    const name = options.name ?? (role === 'viewer' ? 'default' : role);
    const token = await tokens.add({ name, role }, now);
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

/** On PostgreSQL, all pods share the tokens. Upgrades older tables first. */
export async function openTokens(
  settings: Settings,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<TokenStore> {
  const file = tokensPath(settings.paths.data);
  if (settings.store.url === undefined) return tokensInFile(file);
  await (await engineOf(settings)).upgrade({ clock, log });
  const { openTokensInDatabase } = await import('./tokens-in-database.ts');
  return openTokensInDatabase(settings.store.url, file);
}
