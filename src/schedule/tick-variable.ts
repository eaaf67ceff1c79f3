/** Under this name a job of the schedule is told for which due time it runs: the number of the tick and that of the lease, `12.3`. */
export const TICK_VARIABLE = 'PACEKEEPER_TICK';
