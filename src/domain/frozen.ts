/** Why no budget may be changed now. */
export interface Frozen {
  /** "frozen by anna since 2026-11-20T09:00:00Z: budget review". */
  readonly why: string;
  /** Whether a person can end it. */
  readonly isLiftable: boolean;
}

/** The first line of whatever people read while budgets are frozen; none while they are not. */
export function frozenLines(frozen: Frozen | undefined): string[] {
  if (frozen === undefined) return [];
  return [`No budget is changed: ${frozen.why}.${frozen.isLiftable ? ' pacekeeper unfreeze lifts it.' : ''}`];
}

/** How far automation may go, for people: "apply (frozen)". */
export function modeWords(mode: string, frozen: Frozen | undefined): string {
  return frozen === undefined ? mode : `${mode} (frozen)`;
}
