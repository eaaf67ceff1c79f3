export interface Frozen {
  /** Such as "frozen by anna since 2026-11-20T09:00:00Z: budget review". */
  readonly why: string;
  readonly isLiftable: boolean;
}

export function frozenLines(frozen: Frozen | undefined): string[] {
  if (frozen === undefined) return [];
  return [
    `No budget is changed: ${frozen.why}.${frozen.isLiftable ? ' Run pacekeeper unfreeze to allow changes again.' : ''}`,
  ];
}

export function modeWords(mode: string, frozen: Frozen | undefined): string {
  return frozen === undefined ? mode : `${mode} (frozen)`;
}
