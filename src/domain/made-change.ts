/** The states in which the budget has the change's amount, as far as is known. */
export const MADE_STATES = ['applied', 'confirmed'] as const;

/** Whether the budget was changed, as far as is known. No other kind of decision has a state of these names. */
export function isMade({ state }: { readonly state: string }): boolean {
  return MADE_STATES.some((made) => made === state);
}
