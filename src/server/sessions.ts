import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { AccessToken } from './access-tokens.ts';
import { isSame } from './signatures.ts';

/** How long a login lasts. */
export const SESSION_MS = 12 * 60 * 60_000;

const SESSION = /^([A-Za-z0-9_-]{1,60})\.(\d{10,16})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;
const ENDED_MAX = 10_000;

/** Who is logged in, by a cookie's value alone: which token, until when, which session, and the proof of it. */
export interface Sessions {
  begin(token: AccessToken): string;
  /** The token by which the session began; undefined when it is over, its token is revoked, or it is none of ours. */
  find(value: string, tokens: readonly AccessToken[]): AccessToken | undefined;
  /** Ends the session in this process, whoever has a copy of its cookie. */
  end(value: string): void;
}

/**
 * The proof is an HMAC-SHA256 whose key is the token's digest: it needs no store, and a session ends with its token.
 * `nowMs` is the instant in milliseconds.
 */
export function createSessions(nowMs: () => number): Sessions {
  const ended = new Set<string>();
  return {
    begin(token) {
      const name = Buffer.from(token.name).toString('base64url');
      const facts = `${name}.${nowMs() + SESSION_MS}.${randomBytes(16).toString('base64url')}`;
      return `${facts}.${proofOf(facts, token)}`;
    },
    find(value, tokens) {
      const [, name = '', untilMs, id = '', proof = ''] = SESSION.exec(value) ?? [];
      if (untilMs === undefined || ended.has(id)) return undefined;
      const token = tokens.find((one) => Buffer.from(one.name).toString('base64url') === name);
      if (token === undefined || !isSame(proof, proofOf(`${name}.${untilMs}.${id}`, token))) return undefined;
      // One that lasts longer than any does was made while the clock was ahead.
      const leftMs = Number(untilMs) - nowMs();
      return leftMs > 0 && leftMs <= SESSION_MS ? token : undefined;
    },
    end(value) {
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

/** The names of the cookie: over https one that browsers take from the host itself alone. */
export interface SessionCookies {
  readonly plain: string;
  readonly safe: string;
}

/** Cookies know no ports: what tells one server of a host from another, in `instance`, keeps their logins apart. */
export function sessionCookies(instance: string): SessionCookies {
  const plain = `pacekeeper_${createHash('sha256').update(instance).digest('hex').slice(0, 8)}`;
  return { plain, safe: `__Host-${plain}` };
}

/** All values of the cookies of these names, of which a browser may send several, in the order in which they came. */
export function cookieValues(header: string, names: readonly string[]): string[] {
  return header.split(';').flatMap((part) => {
    const at = part.indexOf('=');
    return at !== -1 && names.includes(part.slice(0, at).trim()) ? [part.slice(at + 1).trim()] : [];
  });
}
