/** How a person reads an instant that the record has in UTC with seconds. */
export type ShowInstant = (instant: string) => string;

export const asRecorded: ShowInstant = (instant) => instant;
