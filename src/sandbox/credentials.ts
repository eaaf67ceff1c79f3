import type { Clock } from '../domain/ports.ts';

/** What a client of the sandbox is configured with. They open nothing but the sandbox on this machine. */
export interface SandboxCredentials {
  readonly accessToken: string;
  readonly developerToken: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
  readonly tokenUrl: string;
  readonly messages: {
    readonly accountId: string;
    readonly username: string;
    readonly password: string;
    /** `<channel>:+<digits>`, as area C writes addresses. */
    readonly from: string;
    readonly to: string;
  };
  readonly graph: {
    readonly accessToken: string;
    readonly businessAccountId: string;
    readonly phoneNumberId: string;
    readonly userId: string;
    readonly appSecret: string;
    readonly verifyToken: string;
  };
  readonly container: { readonly username: string; readonly password: string };
}

const MESSAGES_ACCOUNT = 'AC00000000000000000000000000005a4d';

export function sandboxCredentials(url: string): SandboxCredentials {
  return {
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
    },
    graph: {
      accessToken: 'sandbox-graph-token',
      businessAccountId: '102290129340398',
      phoneNumberId: '106540352242922',
      userId: '100001234567890',
      appSecret: 'sandbox-app-secret',
      verifyToken: 'sandbox-verify-token',
    },
    container: { username: 'admin', password: 'Sandbox-Passw0rd!' },
  };
}

const TOKEN_LIFETIME_SECONDS = 3600;

/** The access tokens that the token endpoint gave out, until the sandbox ends. */
export interface IssuedTokens {
  issue(): { readonly accessToken: string; readonly expiresInSeconds: number };
  isValid(token: string): boolean;
}

export function issuedTokens(clock: Clock): IssuedTokens {
  const expiryMs = new Map<string, number>();
  return {
    issue() {
      const accessToken = `sandbox-issued-token-${expiryMs.size + 1}`;
      expiryMs.set(accessToken, clock.now() + TOKEN_LIFETIME_SECONDS * 1000);
      return { accessToken, expiresInSeconds: TOKEN_LIFETIME_SECONDS };
    },
    isValid: (token) => clock.now() < (expiryMs.get(token) ?? Number.NEGATIVE_INFINITY),
  };
}
