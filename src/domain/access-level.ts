/** Operations in 24 hours by the access level of a cloud project. The service reviews `standard` and gives no number. */
export const ACCESS_LEVELS = { explorer: 2_880, basic: 15_000, standard: undefined } as const;

export type AccessLevel = keyof typeof ACCESS_LEVELS;

/** A level, or the user's own limit. */
export type Access = AccessLevel | number;

/** Undefined if there is no limit. */
export function dailyOperations(access: Access | undefined): number | undefined {
  return typeof access === 'string' ? ACCESS_LEVELS[access] : access;
}
