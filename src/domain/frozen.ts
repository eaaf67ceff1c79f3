export interface Frozen {
  /** Such as "frozen by anna since 2026-11-20T09:00:00Z: budget review". */
  readonly why: string;
  readonly isLiftable: boolean;
}

export function frozenLines(frozen: Frozen | undefined): string[] {
  if (frozen === undefined) return [];
  return [`${frozenWords(frozen)}${frozen.isLiftable ? ' Run pacekeeper unfreeze to allow changes again.' : ''}`];
}

export function frozenWords({ why }: Frozen): string {
  return `No budget is changed: ${why}.`;
}

export function modeWords(mode: string, frozen: Frozen | undefined): string {
  return frozen === undefined ? mode : `${mode} (frozen)`;
}
