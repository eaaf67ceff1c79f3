import { randomUUID } from 'node:crypto';
import type { Clock } from '../../domain/ports.ts';
import type { SandboxCredentials } from '../credentials.ts';

export const DEFAULT_PASSWORD = 'secret';
const TOKEN_LIFETIME_MS = 7 * 24 * 3_600_000;

export type Container = ReturnType<typeof createContainer>;

/** With `fresh`, the first user has the default password, which the first login must change. */
export function createContainer(clock: Clock, { username, password }: SandboxCredentials['container'], fresh: boolean) {
  const passwords = new Map([[username, fresh ? DEFAULT_PASSWORD : password]]);
  const expiryMs = new Map<string, number>();
  return {
    hasDefaultPassword: (name: string) => passwords.get(name) === DEFAULT_PASSWORD,
    isUser: (name: string, shown: string) => passwords.get(name) === shown,
    exists: (name: string) => passwords.has(name),
    setPassword(name: string, chosen: string): void {
      passwords.set(name, chosen);
    },
    issue() {
      const token = `sandbox-container-${randomUUID()}`;
      // The answer contains the time in whole seconds.
      const expiresAtMs = Math.floor((clock.now() + TOKEN_LIFETIME_MS) / 1000) * 1000;
      expiryMs.set(token, expiresAtMs);
      return { token, expiresAtMs };
    },
    isValid: (token: string) => clock.now() < (expiryMs.get(token) ?? Number.NEGATIVE_INFINITY),
  };
}

export function passwordProblem(password: unknown): string | undefined {
  const rules = [/^.{8,64}$/s, /\d/, /[A-Z]/, /[a-z]/, /[^A-Za-z0-9]/];
  if (typeof password === 'string' && rules.every((rule) => rule.test(password))) return undefined;
  return 'expected 8 to 64 characters with a digit, an upper case letter, a lower case letter and a special character';
}
