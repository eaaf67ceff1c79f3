import { createHmac, randomBytes } from 'node:crypto';
import { isSame } from '../../services/http/is-same.ts';
import type { AccessToken } from './access-tokens.ts';
import type { SpentIds } from './spent-ids.ts';

const LIFETIME_MS = 60 * 60_000;
const PROOF = /^(\d{10,16})\.([\w-]{22})\.([\w-]{43})$/;

export type FormCheck = 'valid' | 'used' | 'expired' | 'forged';

/** A login with a browser. */
export interface Login {
  readonly token: AccessToken;
  readonly session: string;
}

/**
 * Proves that a form comes from our page, for one session and one purpose, and is sent only once. As for sessions, the
 * token's digest is the key, so that all processes with the same tokens accept the form.
 */
export function createFormProofs(spent: SpentIds, nowMs: () => number) {
  const proofOf = (facts: string, { token, session }: Login, purpose: string) =>
    createHmac('sha256', Buffer.from(token.sha256, 'hex'))
      .update(JSON.stringify([spent.origin, facts, session, purpose]))
      .digest('base64url');
  return {
    make(login: Login, purpose: string): string {
      const facts = `${nowMs() + LIFETIME_MS}.${randomBytes(16).toString('base64url')}`;
      return `${facts}.${proofOf(facts, login, purpose)}`;
    },
    /** A valid proof is used up. */
    async use(proof: string, login: Login, purpose: string): Promise<FormCheck> {
      const [, untilMs = '', id = '', mac = ''] = PROOF.exec(proof) ?? [];
      if (!isSame(mac, proofOf(`${untilMs}.${id}`, login, purpose))) return 'forged';
      if (Number(untilMs) <= nowMs()) return 'expired';
      return (await spent.spend(id, Number(untilMs), nowMs())) ? 'valid' : 'used';
    },
  };
}
