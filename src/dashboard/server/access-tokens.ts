import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { InputError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { ROLES, type Role } from '../../domain/role.ts';
import { replaceText } from '../../storage/files/replace-file.ts';
import { type SpentIds, spentInMemory } from './spent-ids.ts';

/** The token itself is not stored, only its SHA-256 digest. */
export interface AccessToken {
  readonly name: string;
  /** `viewer` for tokens that were made before there were roles. */
  readonly role: Role;
  /** In UTC. */
  readonly createdAt: string;
  readonly sha256: string;
}

const TOKEN_BYTES = 32;
const PREFIX = 'pk_';
const FILE = 'serve-tokens.json';
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

export function tokensPath(dataDir: string): string {
  return join(dataDir, FILE);
}

const STORED = z.array(
  z.object({
    name: z.string().regex(NAME),
    role: z.enum(ROLES).default('viewer'),
    created_at: z.string(),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  }),
);

/** Throws `InputError` if the file is unreadable. */
export function readTokens(path: string): readonly AccessToken[] {
  const text = readIfThere(path);
  if (text === undefined) return [];
  const { data } = STORED.safeParse(parseJson(text));
  if (data === undefined) throw unreadable(path);
  return data.map(({ created_at: createdAt, ...token }) => ({ ...token, createdAt }));
}

export type NamedRole = Pick<AccessToken, 'name' | 'role'>;

export interface TokenStore {
  /** The same for all processes that share the tokens. */
  readonly place: string;
  readonly spent: SpentIds;
  read(): Promise<readonly AccessToken[]>;
  add(token: NamedRole, createdAt: string): Promise<string>;
  revoke(name: string, revokedAt: string): Promise<void>;
  close(): Promise<void>;
}

export function tokensInFile(path: string): TokenStore {
  return {
    place: path,
    spent: spentInMemory(randomBytes(16).toString('base64url')),
    read: async () => readTokens(path),
    add: async (token, createdAt) => addToken(path, token, createdAt),
    revoke: async (name) => revokeToken(path, name),
    close: async () => undefined,
  };
}

/** Replaces the tokens that came to a database, where they can be revoked, by those that come back. */
export function returnTokens(path: string, back: readonly AccessToken[], revoked: readonly AccessToken[]): void {
  const known = back.concat(revoked).map(({ sha256 }) => sha256);
  const names = back.map(({ name }) => name);
  changeTokens(path, (tokens) => [
    ...back,
    ...tokens.filter(({ sha256, name }) => !known.includes(sha256) && !names.includes(name)),
  ]);
}

/** Returns the new token, which is never shown again. Throws `InputError` for an invalid or used name. */
export function addToken(path: string, named: NamedRole, createdAt: string): string {
  const { token, made } = makeToken(named, createdAt);
  changeTokens(path, (tokens) => {
    if (tokens.some((one) => one.name === named.name)) throw usedName(named.name);
    return [...tokens, made];
  });
  return token;
}

/** Throws `InputError` for an invalid name. */
export function makeToken({ name, role }: NamedRole, createdAt: string): { token: string; made: AccessToken } {
  if (!NAME.test(name)) {
    throw new InputError(
      `Invalid token name: found "${name}", expected up to 40 letters, digits, dots, dashes or underscores.`,
      { nextStep: 'Choose another name with --name.' },
    );
  }
  const token = PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, made: { name, role, createdAt, sha256: digestOf(token).toString('hex') } };
}

export function usedName(name: string): InputError {
  return new InputError(`Token ${name} exists already. pacekeeper cannot show it again.`, {
    nextStep: `Choose another name with --name, or run pacekeeper serve token --revoke ${name}.`,
  });
}

/** Throws `InputError` if no token has this name. */
export function revokeToken(path: string, name: string): void {
  refuseAbsent(readTokens(path), name);
  changeTokens(path, (tokens) => {
    refuseAbsent(tokens, name);
    return tokens.filter((token) => token.name !== name);
  });
}

export function refuseAbsent(tokens: readonly AccessToken[], name: string): void {
  if (tokens.some((token) => token.name === name)) return;
  const names = tokens.length === 0 ? 'none' : tokens.map((token) => token.name).join(', ');
  throw new InputError(`No such token. Existing tokens: ${names}.`, {
    nextStep: tokens.length === 0 ? 'There is nothing to revoke.' : 'Name one of them with --revoke.',
  });
}

/** Compares every digest in constant time, so that timing reveals nothing. */
export function matchToken(tokens: readonly AccessToken[], token: string): AccessToken | undefined {
  const digest = digestOf(token);
  return tokens.reduce<AccessToken | undefined>(
    (found, one) => (timingSafeEqual(digest, Buffer.from(one.sha256, 'hex')) ? one : found),
    undefined,
  );
}

export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new InputError(`Reading ${path} failed: found ${codeOf(cause)}, expected a file that this user may read.`, {
      nextStep: 'The user who runs pacekeeper serve must own the file. If it is a folder, move it away.',
      cause,
    });
  }
}

/** Only the owner can read the file, because a digest is enough to forge a session. */
function changeTokens(path: string, change: (tokens: readonly AccessToken[]) => readonly AccessToken[]): void {
  const beside = `${path}.new`;
  const rows = () => change(readTokens(path)).map(({ createdAt, ...token }) => ({ ...token, created_at: createdAt }));
  try {
    const text = () => `${JSON.stringify(rows(), undefined, 2)}\n`;
    replaceText(path, text, { mode: 0o600, next: beside, alone: true });
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    if (codeOf(cause) === 'EEXIST') {
      throw new InputError('Another "pacekeeper serve token" is changing the tokens. Nothing was changed.', {
        nextStep: `Run the command again. If no other "pacekeeper serve token" is running, delete ${beside}.`,
        cause,
      });
    }
    throw new InputError(`Writing ${beside} failed: found ${codeOf(cause)}, expected a writable data folder.`, {
      nextStep: 'Run the command as the owner of the data folder, or choose another folder with --data-dir.',
      cause,
    });
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

function unreadable(path: string): InputError {
  return new InputError(`Invalid token file ${path}: expected a list of tokens.`, {
    nextStep: 'Delete it and run pacekeeper serve token for new tokens. Everyone must log in again.',
  });
}
