import { createHmac, randomBytes } from 'node:crypto';
import { isSame } from './signatures.ts';

const LIFETIME_MS = 60 * 60_000;
const PROOF = /^(\d{10,16})\.([\w-]{22})\.([\w-]{43})$/;

export type FormCheck = 'valid' | 'used' | 'expired' | 'forged';

/**
 * Proves that a form comes from our page, for one session and one purpose, and is sent only once. The key is new in each
 * process, so no form from before a restart is accepted.
 */
export function createFormProofs(nowMs: () => number) {
  const key = randomBytes(32);
  const used = new Map<string, number>();
  const proofOf = (facts: string, session: string, purpose: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([facts, session, purpose]))
      .digest('base64url');
  return {
    make(session: string, purpose: string): string {
      const facts = `${nowMs() + LIFETIME_MS}.${randomBytes(16).toString('base64url')}`;
      return `${facts}.${proofOf(facts, session, purpose)}`;
    },
    /** A valid proof is used up. */
    use(proof: string, session: string, purpose: string): FormCheck {
      const [, untilMs = '', id = '', mac = ''] = PROOF.exec(proof) ?? [];
      if (!isSame(mac, proofOf(`${untilMs}.${id}`, session, purpose))) return 'forged';
      if (used.has(id)) return 'used';
      const now = nowMs();
      if (Number(untilMs) <= now) return 'expired';
      for (const [old, until] of used) if (until <= now) used.delete(old);
      used.set(id, Number(untilMs));
      return 'valid';
    },
  };
}
