import { createHash, createHmac, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AccessToken, matchToken, readTokens } from './access-tokens.ts';
import { isSame } from './signatures.ts';

/** How long a login lasts. */
const SESSION_MS = 12 * 60 * 60_000;

const SESSION = /^([A-Za-z0-9_-]{1,60})\.(\d{10,16})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;
const ENDED_MAX = 10_000;

/**
 * Who is logged in, by a cookie's value alone: which token, until when, which session, and the proof of it. The proof is an
 * HMAC-SHA256 whose key is the token's digest: it needs no store, and a session ends with its token. `nowMs` is the instant in
 * milliseconds.
 */
export function createSessions(nowMs: () => number) {
  const ended = new Set<string>();
  return {
    begin(token: AccessToken): string {
      const name = Buffer.from(token.name).toString('base64url');
      const facts = `${name}.${nowMs() + SESSION_MS}.${randomBytes(16).toString('base64url')}`;
      return `${facts}.${proofOf(facts, token)}`;
    },
    /** The token by which the session began; undefined when it is over, its token is revoked, or it is none of ours. */
    find(value: string, tokens: readonly AccessToken[]): AccessToken | undefined {
      const [, name = '', untilMs, id = '', proof = ''] = SESSION.exec(value) ?? [];
      if (untilMs === undefined || ended.has(id)) return undefined;
      const token = tokens.find((one) => Buffer.from(one.name).toString('base64url') === name);
      if (token === undefined || !isSame(proof, proofOf(`${name}.${untilMs}.${id}`, token))) return undefined;
      // One that lasts longer than any does was made while the clock was ahead.
      const leftMs = Number(untilMs) - nowMs();
      return leftMs > 0 && leftMs <= SESSION_MS ? token : undefined;
    },
    /** Ends the session in this process, whoever has a copy of its cookie. */
    end(value: string): void {
      const id = SESSION.exec(value)?.[3];
      if (id === undefined) return;
      ended.add(id);
      // The oldest are over by themselves.
      for (const oldest of ended) if (ended.size > ENDED_MAX) ended.delete(oldest);
    },
  };
}

function proofOf(facts: string, { sha256 }: AccessToken): string {
  return createHmac('sha256', Buffer.from(sha256, 'hex')).update(`pacekeeper session ${facts}`).digest('base64url');
}

/**
 * The names of the cookie, over https one that browsers take from the host itself alone. Cookies know no ports: what tells one
 * server of a host from another, in `instance`, keeps their logins apart.
 */
function sessionCookies(instance: string) {
  const plain = `pacekeeper_${createHash('sha256').update(instance).digest('hex').slice(0, 8)}`;
  return { plain, safe: `__Host-${plain}` };
}

/** All values of the cookies of these names, of which a browser may send several, in the order in which they came. */
function cookieValues(header: string, names: readonly string[]): string[] {
  return header.split(';').flatMap((part) => {
    const at = part.indexOf('=');
    return at !== -1 && names.includes(part.slice(0, at).trim()) ? [part.slice(at + 1).trim()] : [];
  });
}

export type Visitor =
  | { readonly kind: 'known'; readonly token: AccessToken }
  /** No token was made yet: nobody can be known. */
  | { readonly kind: 'nobody_can' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'too_many'; readonly waitSeconds: number };

export const NO_TOKEN = 'nobody can log in yet: make a token with pacekeeper serve token';

export type LogIn = ReturnType<typeof createLogIn>;

interface LogInOptions {
  readonly tokensPath: string;
  /** Where browsers reach us through a proxy; undefined where there is none. */
  readonly publicUrl: string | undefined;
  nowMs(): number;
}

/** Wrong tokens, by the network they come from: whoever guesses has ten tries a minute. */
const WRONG_TOKENS = {
  max: 10,
  timeWindow: 60_000,
  // Networks that are remembered; the one that was quiet longest is forgotten.
  cache: 1000,
  keyGenerator: (request: FastifyRequest) => normalizeIP(addressOf(request)),
};

/**
 * The file of tokens is read each time: one that is made or revoked counts from the next request on. `server` has the plugin
 * `@fastify/rate-limit`.
 */
export function createLogIn(server: FastifyInstance, { tokensPath, publicUrl, nowMs }: LogInOptions) {
  const sessions = createSessions(nowMs);
  const countWrong = server.createRateLimit(WRONG_TOKENS);
  const names = sessionCookies(`${tokensPath} ${publicUrl ?? ''}`);
  const isPublicHttps = publicUrl?.startsWith('https:') ?? false;
  const cookiesOf = (request: FastifyRequest) => {
    if (request.protocol === 'https') return [names.safe];
    // Whether it came through the proxy nobody told: by https, or past it by http.
    return isPublicHttps ? [names.safe, names.plain] : [names.plain];
  };
  const valuesOf = (request: FastifyRequest) => cookieValues(request.headers.cookie ?? '', cookiesOf(request));

  const check = async (shown: string, request: FastifyRequest): Promise<Visitor> => {
    const tokens = readTokens(tokensPath);
    if (tokens.length === 0) return { kind: 'nobody_can' };
    const wrong = await countWrong(request, { increment: false });
    // Even a right one: whoever guesses learns nothing meanwhile.
    if (!wrong.isAllowed && wrong.remaining === 0) return { kind: 'too_many', waitSeconds: wrong.ttlInSeconds };
    const token = matchToken(tokens, shown);
    if (token !== undefined) return { kind: 'known', token };
    await countWrong(request);
    return { kind: 'wrong' };
  };
  /** By a token alone. */
  const byBearer = async (request: FastifyRequest): Promise<Visitor> => {
    const shown = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    if (shown !== undefined) return check(shown, request);
    return { kind: readTokens(tokensPath).length === 0 ? 'nobody_can' : 'unknown' };
  };
  return {
    byBearer,
    /** By the session's cookie, or by `Authorization: Bearer`. */
    async visitor(request: FastifyRequest): Promise<Visitor> {
      // What else stands there is for a proxy, and no word about who is logged in.
      if (/^Bearer\b/i.test(request.headers.authorization ?? '')) return byBearer(request);
      const tokens = readTokens(tokensPath);
      if (tokens.length === 0) return { kind: 'nobody_can' };
      const [token] = valuesOf(request).flatMap((value) => sessions.find(value, tokens) ?? []);
      return token === undefined ? { kind: 'unknown' } : { kind: 'known', token };
    },
    /** Looks at a token that was typed, and begins a session when it is right. */
    async begin(shown: string, request: FastifyRequest, reply: FastifyReply): Promise<Visitor> {
      const visitor = await check(shown.trim(), request);
      if (visitor.kind === 'known') {
        const secure = isFormOfHttps(request, isPublicHttps);
        const rest = { ...attributesOf(secure), maxAge: SESSION_MS / 1000 };
        reply.setCookie(secure ? names.safe : names.plain, sessions.begin(visitor.token), rest);
      }
      return visitor;
    },
    end(request: FastifyRequest, reply: FastifyReply): void {
      for (const value of valuesOf(request)) sessions.end(value);
      for (const name of cookiesOf(request)) reply.clearCookie(name, attributesOf(name === names.safe));
    },
  };
}

/** Lax: who follows a link from a mail is logged in still. No GET changes anything, and forms are taken from our pages alone. */
function attributesOf(secure: boolean) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
}

/**
 * Whether the browser that sends the form keeps a cookie for https: it says by what it came, which we see of a trusted proxy
 * alone, and which the public address does not tell of who came past the proxy.
 */
function isFormOfHttps({ protocol, headers: { origin = '' } }: FastifyRequest, isPublicHttps: boolean): boolean {
  return protocol === 'https' || (/^https?:/.test(origin) ? origin.startsWith('https:') : isPublicHttps);
}

/** Where a request came from, as far as the proxy is believed; what is no address comes from nobody in particular. */
export function addressOf({ ip }: FastifyRequest): string {
  return isIP(ip) === 0 ? 'an unknown address' : ip;
}
