import { randomBytes, scryptSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import type { Environment } from '../../config/setting-tree.ts';
import { instantText, minuteText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { listed } from '../../domain/wording.ts';
import { containerStatus } from '../../services/container/container-status.ts';
import {
  type ContainerConnection,
  type ContainerLogin,
  type KeptLogin,
  lackedByPassword,
  logIn,
  openSession,
} from '../../services/container/session.ts';
import { withLoggedRetries } from '../../services/http/retry.ts';
import { tellable } from '../../services/http/tellable.ts';
import { TOKEN } from '../../services/http/token-use.ts';
import { ownNextPath, replaceText } from '../../storage/files/replace-file.ts';
import { oneLine } from '../../views/text/text-layout.ts';
import type { CommandApp } from '../cli/command.ts';
import type { ToldOptions } from '../cli/common-options.ts';
import { jsonOrText } from '../cli/print-listing.ts';
import type { LoginOptions } from './container-command.ts';

export async function runLogin(app: CommandApp<'areas'>, options: LoginOptions): Promise<void> {
  const { folder, environment } = app;
  const from = options.newPasswordFrom;
  await tellFound(app, options.format, (container) =>
    tryLogin(
      container,
      from === undefined ? undefined : readNewPassword(from, folder, environment, container.password),
    ),
  );
}

export async function runStatus(app: CommandApp<'areas'>, { format }: ToldOptions): Promise<void> {
  await tellFound(app, format, (container) => askStatus(container, app.settings.paths.data));
}

async function tellFound(
  app: CommandApp<'areas'>,
  format: 'table' | 'json',
  find: (container: ContainerConnection) => Promise<Found>,
): Promise<void> {
  const { json, lines } = await app.open(async ({ container }) => {
    if (container) return find(container);
    throw new InputError('The container is not configured.', {
      nextStep: 'Set CONTAINER_URL, CONTAINER_USERNAME and CONTAINER_PASSWORD; docs/configuration.md lists them.',
    });
  });
  // Redacts once more, because an answer of the container can repeat a secret.
  app.output.stdout.write(app.redact(jsonOrText(format, json, lines.join('\n'))));
}

interface Found {
  readonly lines: readonly string[];
  readonly json: unknown;
}

async function tryLogin(container: ContainerConnection, newPassword: string | undefined): Promise<Found> {
  // A repeated login with the old password would fail if the first login had set the new password.
  const kind = newPassword === undefined ? 'read' : 'write';
  const login = await withLoggedRetries(container, kind, 'The login', () => logIn(container, newPassword));
  const changed = newPassword !== undefined;
  const next = changed ? ['The new password is set. Write it to CONTAINER_PASSWORD.'] : [];
  return {
    lines: [describeLogin(container, login), ...next],
    json: { ...loginJson(login), password_changed: changed },
  };
}

async function askStatus(container: ContainerConnection, dataDir: string): Promise<Found> {
  const session = openSession(container, keptToken(dataDir, container));
  const { login, health } = await containerStatus(container, session);
  const words = health === undefined ? 'not offered' : healthWords(container, health);
  return {
    lines: [describeLogin(container, login), `Health: ${words}`],
    json: { ...loginJson(login), health: health ?? null },
  };
}

/** In UTF-16 code units. */
const HEALTH_LENGTH_MAX = 2000;

function healthWords({ redact }: ContainerConnection, health: unknown): string {
  return oneLine(tellable(healthEntries(health).join(', '), redact, HEALTH_LENGTH_MAX)) || 'not reported';
}

function healthEntries(said: unknown, name = ''): string[] {
  if (typeof said !== 'object' || said === null) return [`${name} ${said}`.trim()];
  const within = (key: string) => (name === '' || name === 'health' ? key : `${name}.${key}`);
  return Object.entries(said).flatMap(([key, value]) => healthEntries(value, within(key)));
}

function describeLogin({ username }: ContainerConnection, { expiresAtMs, version, apiStatus }: ContainerLogin): string {
  const about = [
    version === undefined ? '' : ` Container version: ${oneLine(version)}.`,
    apiStatus === undefined ? '' : ` Status: ${oneLine(apiStatus)}.`,
  ];
  return `Logged in as ${oneLine(username)}; the token is valid until ${minuteText(instantText(expiresAtMs))}.${about.join('')}`;
}

function loginJson({ expiresAtMs, version, apiStatus }: ContainerLogin): object {
  return { expires_at: instantText(expiresAtMs), version, api_status: apiStatus };
}

/** Throws `InputError` for a password that the container would refuse. */
function readNewPassword(name: string, folder: string, environment: Environment, current: string): string {
  const password = environment[name] ?? readFrom(resolve(folder, name), name);
  const lacked = lackedByPassword(password);
  if (lacked.length > 0) {
    throw new InputError(`The new password in ${name} lacks ${listed(lacked)}.`, {
      nextStep: 'Choose another one. No request was sent.',
    });
  }
  if (password !== current) return password;
  throw new InputError(`The new password in ${name} is the same as CONTAINER_PASSWORD.`, {
    nextStep: 'Keep the first password in CONTAINER_PASSWORD until the new one is set.',
  });
}

function readFrom(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    // The given name is possibly the password itself, so such a name is not printed.
    const shown = /^[\w./-]{1,80}$/.test(name) && lackedByPassword(name).length > 0 ? name : 'the given name';
    throw new InputError(`New password not found: ${shown} is neither an environment name nor a readable file.`, {
      nextStep: 'Give an environment name, or a file that holds only the new password.',
      cause,
    });
  }
}

const fileShape = z.object({
  /** Identifies the login: another address, user or password needs a new token. Slow, so that nobody guesses the password. */
  of: z.string(),
  salt: z.string(),
  token: z.string().regex(TOKEN),
  expiresAtMs: z.number(),
  version: z.string().optional(),
  apiStatus: z.string().optional(),
});

/** Keeps the token between commands (requirement D2). Only its owner may read the file. */
export function keptToken(dataDir: string, { url, username, password, redact }: ContainerConnection): KeptLogin {
  const path = join(dataDir, 'container-token.json');
  const digest = (salt: string) => scryptSync(JSON.stringify([url, username, password]), salt, 32).toString('hex');
  return {
    read(): ContainerLogin | undefined {
      const kept = fileShape.safeParse(parseJson(textOf(path))).data;
      if (kept === undefined || kept.of !== digest(kept.salt)) return undefined;
      redact.learn(kept.token, 'container_token');
      return { ...kept, version: kept.version, apiStatus: kept.apiStatus };
    },
    write(login: ContainerLogin): void {
      try {
        const salt = randomBytes(16).toString('hex');
        const text = `${JSON.stringify({ of: digest(salt), salt, ...login })}\n`;
        replaceText(path, () => text, { mode: 0o600, next: ownNextPath(path) });
      } catch {
        // Without a writable data folder, each command logs in.
      }
    },
  };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
