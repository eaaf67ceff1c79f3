import type { Clock } from '../domain/ports.ts';
import { REHEARSED } from './templates.ts';

const MESSAGES_ACCOUNT = 'AC00000000000000000000000000005a4d';

export type SandboxCredentials = ReturnType<typeof sandboxCredentials>;

/** These credentials open only the sandbox on this machine. */
export function sandboxCredentials(url: string) {
  return {
    url,
    accessToken: 'sandbox-access-token',
    developerToken: 'sandbox-developer-token',
    clientId: 'sandbox-client-id',
    clientSecret: 'sandbox-client-secret',
    refreshToken: 'sandbox-refresh-token',
    tokenUrl: `${url}/token`,
    messages: {
      accountId: MESSAGES_ACCOUNT,
      username: MESSAGES_ACCOUNT,
      password: 'sandbox-auth-token',
      from: 'whatsapp:+15550100001',
      to: 'whatsapp:+15550100002',
      template: REHEARSED.content,
    },
    graph: {
      accessToken: 'sandbox-graph-token',
      businessAccountId: '102290129340398',
      phoneNumberId: '106540352242922',
      userId: '100001234567890',
      appSecret: 'sandbox-app-secret',
      verifyToken: 'sandbox-verify-token',
      template: REHEARSED.name,
    },
    webhook: { secret: 'whsec_c2FuZGJveC13ZWJob29rLXNlY3JldC0wMQ==' },
    container: { username: 'admin', password: 'Sandbox-Passw0rd!' },
  };
}

const TOKEN_LIFETIME_SECONDS = 3600;

export type IssuedTokens = ReturnType<typeof issuedTokens>;

export function issuedTokens(clock: Clock) {
  const expiryMs = new Map<string, number>();
  return {
    issue() {
      const accessToken = `sandbox-issued-token-${expiryMs.size + 1}`;
      expiryMs.set(accessToken, clock.now() + TOKEN_LIFETIME_SECONDS * 1000);
      return { accessToken, expiresInSeconds: TOKEN_LIFETIME_SECONDS };
    },
    isValid: (token: string) => clock.now() < (expiryMs.get(token) ?? Number.NEGATIVE_INFINITY),
  };
}
