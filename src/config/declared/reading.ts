import { timeOfDay, wholeNumber } from '../../yaml/scalars.ts';
import { each, group, section, setting } from './declare.ts';
import { queryName } from './forms.ts';

export const READING = section(
  'Reading',
  { before: ['For both targets.'] },
  {
    extract: group({
      concurrency: setting(wholeNumber(1, 64), 'Accounts that are read at the same time, 1 to 64', { default: 16 }),
      day_closes_at: setting(timeOfDay, "The time on the account's own calendar from which the day before is closed", {
        default: '03:00',
      }),
      settle_days: each(
        '<query>',
        { key: queryName, shown: /^[a-z][a-z_]{0,39}$/ },
        setting(
          wholeNumber(0, 90),
          'Days after which a past day of that query is complete, 0 to 90: conversions still move',
          { required: true, without: '0' },
        ),
      ),
      operations_per_day: setting(
        wholeNumber(1, 1_000_000_000),
        'How many operations of the advertising interface 24 hours may cost: every request for an account counts one, failed ones too',
      ),
      keep_records_days: setting(
        wholeNumber(31, 36_500),
        'Days after which a report removes what runs noted of their reading and nothing needs any more, 31 to 36500; rows, changes and alerts are never removed',
        { default: 400 },
      ),
    }),
  },
);
