import { type Intent, OPEN_STATES } from '../store/budgets/intent-table.ts';

/** Whether what became of it is not known yet. */
export function isOpen({ state }: Pick<Intent, 'state'>): boolean {
  return OPEN_STATES.some((open) => open === state);
}

/** Whether a request for the change may have reached the service. */
export function mayHaveBeenSent({ state }: Pick<Intent, 'state'>): boolean {
  return state === 'sending' || state === 'unknown';
}
