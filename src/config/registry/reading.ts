import type { SettingSection } from './setting.ts';

export const READING: SettingSection = {
  title: 'Reading',
  areas: ['extract'],
  before: ['For both targets.'],
  settings: [
    {
      path: 'extract.concurrency',
      default: '16',
      value: 'shown',
      meaning: 'Accounts that are read at the same time, 1 to 64',
    },
    {
      path: 'extract.day_closes_at',
      default: '`03:00`',
      value: 'shown',
      meaning: "The time on the account's own calendar from which the day before is closed",
    },
    {
      path: 'extract.settle_days.<query>',
      default: '0',
      value: 'shown',
      meaning: 'Days after which a past day of that query is complete, 0 to 90: conversions still move',
    },
    {
      path: 'extract.operations_per_day',
      default: 'none',
      value: 'shown',
      meaning:
        'How many operations of the advertising interface 24 hours may cost: every request for an account counts one, failed ones too',
    },
    {
      path: 'extract.keep_records_days',
      default: '400',
      value: 'shown',
      meaning:
        'Days after which a report removes what runs noted of their reading and nothing needs any more, 31 to 36500; rows, changes and alerts are never removed',
    },
  ],
};
