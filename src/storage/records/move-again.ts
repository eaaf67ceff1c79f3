/** The next step of each message about a move that is not complete. */
export const MOVE_AGAIN = 'Run pacekeeper migrate-store again with the same --from and --to.';
