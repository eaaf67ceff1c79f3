import { createHash, createHmac, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SHARED_CLOCK_OFF_MAX_MS } from '../../domain/clock-difference.ts';
import { may, type Right } from '../../domain/role.ts';
import { isSame } from '../../services/http/is-same.ts';
import { Refusal } from '../../services/http/received-request.ts';
import { type AccessToken, matchToken, type TokenStore } from './access-tokens.ts';
import type { Login } from './form-proof.ts';

const SESSION_MS = 12 * 60 * 60_000;

const SESSION = /^([A-Za-z0-9_-]{1,60})\.(\d{10,16})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

interface Begun extends Login {
  readonly id: string;
  readonly untilMs: number;
}

/** The token's digest is the key of the session's HMAC, so sessions end with their token. */
export function createSessions(nowMs: () => number) {
  return {
    begin(token: AccessToken): string {
      const name = Buffer.from(token.name).toString('base64url');
      const facts = `${name}.${nowMs() + SESSION_MS}.${randomBytes(16).toString('base64url')}`;
      return `${facts}.${proofOf(facts, token)}`;
    },
    /** Undefined if the session is invalid or expired, or if the token was revoked. It may have ended. */
    find(session: string, tokens: readonly AccessToken[]): Begun | undefined {
      const [, name = '', untilMs, id = '', proof = ''] = SESSION.exec(session) ?? [];
      if (untilMs === undefined) return undefined;
      const token = tokens.find((one) => Buffer.from(one.name).toString('base64url') === name);
      if (token === undefined || !isSame(proof, proofOf(`${name}.${untilMs}.${id}`, token))) return undefined;
      // Refuses sessions that began while the clock was ahead. Clocks of two machines differ a little.
      const leftMs = Number(untilMs) - nowMs();
      const isNow = leftMs > 0 && leftMs <= SESSION_MS + SHARED_CLOCK_OFF_MAX_MS;
      return isNow ? { token, session, id, untilMs: Number(untilMs) } : undefined;
    },
  };
}

function proofOf(facts: string, { sha256 }: AccessToken): string {
  return createHmac('sha256', Buffer.from(sha256, 'hex')).update(`pacekeeper session ${facts}`).digest('base64url');
}

/** Cookies ignore ports, so two servers on one host need different cookie names. */
function sessionCookies(instance: string) {
  const plain = `pacekeeper_${createHash('sha256').update(instance).digest('hex').slice(0, 8)}`;
  return { plain, safe: `__Host-${plain}` };
}

function cookieValues(header: string, names: readonly string[]): string[] {
  return header.split(';').flatMap((part) => {
    const at = part.indexOf('=');
    return at !== -1 && names.includes(part.slice(0, at).trim()) ? [part.slice(at + 1).trim()] : [];
  });
}

export type Visitor =
  /** `session` identifies the login. Undefined for a bearer token. */
  | { readonly kind: 'known'; readonly token: AccessToken; readonly session?: string }
  | { readonly kind: 'nobody_can' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'too_many'; readonly waitSeconds: number };

export type KnownVisitor = Extract<Visitor, { kind: 'known' }>;

/**
 * Refuses forms of other sites. Answers visitors who are not logged in, and then returns undefined. After their login they
 * come to `next`, by default the path of the request.
 */
export type Admit = (request: FastifyRequest, reply: FastifyReply, next?: string) => Promise<KnownVisitor | undefined>;

export const NO_TOKEN = 'no token exists yet. Run pacekeeper serve token';

export type LogIn = ReturnType<typeof createLogIn>;

interface LogInOptions {
  readonly tokens: TokenStore;
  readonly publicUrl: string | undefined;
  nowMs(): number;
  /** Tokens without this right count as wrong. */
  readonly right: Right;
}

const WRONG_TOKENS = {
  max: 10,
  timeWindow: 60_000,
  keyGenerator: (request: FastifyRequest) => normalizeIP(visitorAddress(request)),
};

/** Reads the tokens on every request, so that changes take effect at once. */
export function createLogIn(server: FastifyInstance, { tokens: store, publicUrl, nowMs, right }: LogInOptions) {
  const sessions = createSessions(nowMs);
  const countWrong = server.createRateLimit(WRONG_TOKENS);
  const names = sessionCookies(`${store.place} ${publicUrl ?? ''}`);
  const isPublicHttps = publicUrl?.startsWith('https:') ?? false;
  const cookiesOf = (request: FastifyRequest) => {
    if (request.protocol === 'https') return [names.safe];
    return isPublicHttps ? [names.safe, names.plain] : [names.plain];
  };
  const sessionsOf = (request: FastifyRequest, tokens: readonly AccessToken[]) =>
    cookieValues(request.headers.cookie ?? '', cookiesOf(request)).flatMap((one) => sessions.find(one, tokens) ?? []);

  const tokensNow = async () => (await store.read()).filter(({ role }) => may(role, right));

  const check = async (shown: string, request: FastifyRequest): Promise<Visitor> => {
    const tokens = await tokensNow();
    if (tokens.length === 0) return { kind: 'nobody_can' };
    const wrong = await countWrong(request, { increment: false });
    // After too many wrong tokens, correct tokens are refused too, so that guessing reveals nothing.
    if (!wrong.isAllowed && wrong.remaining === 0) return { kind: 'too_many', waitSeconds: wrong.ttlInSeconds };
    const token = matchToken(tokens, shown);
    if (token !== undefined) return { kind: 'known', token };
    await countWrong(request);
    return { kind: 'wrong' };
  };
  const byBearer = async (request: FastifyRequest): Promise<Visitor> => {
    const shown = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    if (shown !== undefined) return check(shown, request);
    return { kind: (await tokensNow()).length === 0 ? 'nobody_can' : 'unknown' };
  };
  return {
    byBearer,
    async visitor(request: FastifyRequest): Promise<Visitor> {
      // An `Authorization` header with another scheme is for a proxy.
      if (/^Bearer\b/i.test(request.headers.authorization ?? '')) return byBearer(request);
      const tokens = await tokensNow();
      if (tokens.length === 0) return { kind: 'nobody_can' };
      for (const { token, session, id } of sessionsOf(request, tokens)) {
        if (!(await store.spent.isSpent(id))) return { kind: 'known', token, session };
      }
      return { kind: 'unknown' };
    },
    async begin(shown: string, request: FastifyRequest, reply: FastifyReply): Promise<Visitor> {
      const visitor = await check(shown.trim(), request);
      if (visitor.kind === 'known') {
        const secure = isFormOfHttps(request, isPublicHttps);
        const rest = { ...attributesOf(secure), maxAge: SESSION_MS / 1000 };
        reply.setCookie(secure ? names.safe : names.plain, sessions.begin(visitor.token), rest);
      }
      return visitor;
    },
    async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      for (const name of cookiesOf(request)) reply.clearCookie(name, attributesOf(name === names.safe));
      for (const { id, untilMs } of sessionsOf(request, await tokensNow())) {
        await store.spent.spend(id, untilMs, nowMs());
      }
    },
  };
}

/** With `lax`, a person who follows a link in an email stays logged in. */
function attributesOf(secure: boolean) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
}

/** `protocol` is reliable only behind a trusted proxy, so `Origin` is checked too. */
function isFormOfHttps({ protocol, headers: { origin = '' } }: FastifyRequest, isPublicHttps: boolean): boolean {
  return protocol === 'https' || (/^https?:/.test(origin) ? origin.startsWith('https:') : isPublicHttps);
}

/** A proxy can send any text as the IP address, so invalid addresses are not shown. */
export function visitorAddress({ ip }: FastifyRequest): string {
  return isIP(ip) === 0 ? 'an unknown address' : ip;
}

/** For programs. Throws `Refusal` without a valid token. */
export async function bearerToken(
  logIn: Pick<LogIn, 'byBearer'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<AccessToken> {
  const visitor = await logIn.byBearer(request);
  if (visitor.kind === 'nobody_can') throw new Refusal(404, NO_TOKEN);
  if (visitor.kind === 'too_many') {
    reply.header('retry-after', visitor.waitSeconds);
    throw new Refusal(429, `too many invalid tokens; try again in ${visitor.waitSeconds} seconds`);
  }
  if (visitor.kind !== 'known') {
    reply.header('www-authenticate', 'Bearer realm="pacekeeper"');
    const shown = visitor.kind === 'wrong' ? `invalid token from ${visitorAddress(request)}` : 'no token';
    throw new Refusal(
      401,
      `found ${shown}, expected "Authorization: Bearer TOKEN" with a token from pacekeeper serve token`,
    );
  }
  return visitor.token;
}
