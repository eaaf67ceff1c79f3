import { randomUUID } from 'node:crypto';
import type { Clock } from '../../domain/ports.ts';
import type { SandboxCredentials } from '../credentials.ts';

/** What everybody knows, and the first login has to change. */
export const DEFAULT_PASSWORD = 'secret';
const TOKEN_LIFETIME_MS = 7 * 24 * 3_600_000;

export type Container = ReturnType<typeof createContainer>;

/**
 * The users of the container and the tokens it gave out, until the sandbox ends. A `fresh` one was never logged in to: its first
 * user has the password that everybody knows.
 */
export function createContainer(clock: Clock, { username, password }: SandboxCredentials['container'], fresh: boolean) {
  const passwords = new Map([[username, fresh ? DEFAULT_PASSWORD : password]]);
  const expiryMs = new Map<string, number>();
  return {
    /** Whether the user still has the password that the container came with. */
    hasDefaultPassword: (name: string) => passwords.get(name) === DEFAULT_PASSWORD,
    isUser: (name: string, shown: string) => passwords.get(name) === shown,
    exists: (name: string) => passwords.has(name),
    setPassword(name: string, chosen: string): void {
      passwords.set(name, chosen);
    },
    issue() {
      const token = `sandbox-container-${randomUUID()}`;
      // The answer has no fractions of a second.
      const expiresAtMs = Math.floor((clock.now() + TOKEN_LIFETIME_MS) / 1000) * 1000;
      expiryMs.set(token, expiresAtMs);
      return { token, expiresAtMs };
    },
    isValid: (token: string) => clock.now() < (expiryMs.get(token) ?? Number.NEGATIVE_INFINITY),
  };
}

/** What a password has to be, in words; undefined when it is that. */
export function passwordProblem(password: unknown): string | undefined {
  const rules = [/^.{8,64}$/s, /\d/, /[A-Z]/, /[a-z]/, /[^A-Za-z0-9]/];
  if (typeof password === 'string' && rules.every((rule) => rule.test(password))) return undefined;
  return 'expected 8 to 64 characters with a digit, an upper and a lower case letter and another character';
}
