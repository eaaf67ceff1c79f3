/** Why something was not done, as a part of a sentence. */
export const ASKED_TO_STOP = 'the run was asked to stop';

/** The same of one thing, as the record of it has it. */
export const NOT_SENT_BY_STOP = 'The run was asked to stop before it was sent.';

/** What was recorded of a thing that was not done, or not to its end. */
const UNDONE: readonly string[] = ['failed', 'not_reached'];

/**
 * What a run, or an account in one, came to, by its state and the reason that was recorded with it: what was left because the
 * run was asked to stop did not fail. The counts of `store/state-counts.ts` say the same in SQL.
 */
export function cameTo<State extends string>(state: State, reason: string | undefined): State | 'stopped' {
  return UNDONE.includes(state) && reason?.toLowerCase().includes(ASKED_TO_STOP) ? 'stopped' : state;
}
