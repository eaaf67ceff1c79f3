import type { SettingSection } from './setting.ts';

export const SCHEDULE: SettingSection = {
  title: 'What runs when',
  areas: ['schedule'],
  before: ['For `pacekeeper schedule`, on either target: a list of jobs. Without one there is nothing to run.'],
  settings: [
    {
      path: 'schedule[].name',
      value: 'shown',
      meaning: 'A short name in small letters, another one for each job: its due times and its last run are kept by it',
    },
    {
      path: 'schedule[].cron',
      value: 'shown',
      meaning:
        'Five fields: minute, hour, day of the month, month, day of the week, such as `30 5 * * *` or `0 6 * * mon-fri`',
    },
    {
      path: 'schedule[].time_zone',
      default: '`UTC`',
      value: 'shown',
      meaning: 'Whose calendar and clock the fields mean, such as `Europe/Berlin`',
    },
    {
      path: 'schedule[].job',
      value: 'shown',
      meaning: '`report`, `extract`, `deliver` (the alerts that wait) or `publish`: the command that is run',
    },
    {
      path: 'schedule[].options.query',
      default: 'all',
      value: 'shown',
      meaning: 'Only these queries; for `report` and `extract`',
    },
    {
      path: 'schedule[].options.customer',
      default: 'all',
      value: 'shown',
      meaning: 'Only these accounts; for `report` and `extract`',
    },
    {
      path: 'schedule[].options.dry_run',
      default: 'false',
      value: 'shown',
      meaning: 'Decide and change nothing; for `report`',
    },
    {
      path: 'schedule[].options.no_extract',
      default: 'false',
      value: 'shown',
      meaning: 'Decide by what was read before; for `report`',
    },
    {
      path: 'schedule[].options.resume',
      default: 'false',
      value: 'shown',
      meaning: 'Go on where the last one was interrupted; for `extract`',
    },
    {
      path: 'schedule[].options.to',
      default: 'the warehouse alone',
      value: 'shown',
      meaning: '`csv` or `json`: files beside the warehouse; for `publish`, together with `dir`',
    },
    {
      path: 'schedule[].options.dir',
      default: 'none',
      value: 'shown',
      meaning: 'The folder of those files; for `publish`, together with `to`',
    },
  ],
};
