import type { RefusalCode } from './decision.ts';

/** Why a change is not made. */
export interface Refusal {
  readonly kind: 'refused';
  readonly code: RefusalCode;
  /** One sentence for a person. */
  readonly reason: string;
}

export function refused(code: RefusalCode, reason: string): Refusal {
  return { kind: 'refused', code, reason };
}
