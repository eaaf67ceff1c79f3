import type { ScheduledJob } from '../../src/config/settings.ts';

/** The options of a scheduled job of which nothing is said. */
export const NO_OPTIONS: ScheduledJob['options'] = {
  query: undefined,
  customer: undefined,
  dryRun: false,
  noExtract: false,
  resume: false,
  to: undefined,
  dir: undefined,
};

export const NO_RETRY: ScheduledJob['retry'] = { times: 0, withinMinutes: 120 };
