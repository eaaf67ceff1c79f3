import * as z from 'zod';
import { customerId } from '../../domain/ids.ts';
import { customerIdText, nonEmptyText, oneOrMany, timeZone, yesOrNo } from '../../yaml/scalars.ts';
import { group, list, section, setting } from './declare.ts';
import { address, queryName, shortName } from './forms.ts';

export const SCHEDULE = section(
  'What runs when',
  { before: ['For `pacekeeper schedule`, on either target: a list of jobs. Without one there is nothing to run.'] },
  {
    schedule: list(
      group({
        name: setting(
          shortName(),
          'A short name in small letters, another one for each job: its due times and its last run are kept by it',
          { required: true },
        ),
        cron: setting(
          nonEmptyText,
          'Five fields: minute, hour, day of the month, month, day of the week, such as `30 5 * * *` or `0 6 * * mon-fri`',
          { required: true },
        ),
        time_zone: setting(timeZone, 'Whose calendar and clock the fields mean, such as `Europe/Berlin`', {
          default: 'UTC',
        }),
        job: setting(
          z.enum(['report', 'extract', 'deliver', 'publish']),
          '`report`, `extract`, `deliver` (the alerts that wait) or `publish`: the command that is run',
          { required: true },
        ),
        options: group({
          query: setting(oneOrMany(queryName), 'Only these queries; for `report` and `extract`', { without: 'all' }),
          customer: setting(
            oneOrMany(customerIdText.transform(customerId)),
            'Only these accounts; for `report` and `extract`',
            { without: 'all' },
          ),
          dry_run: setting(yesOrNo, 'Decide and change nothing; for `report`', { default: false }),
          no_extract: setting(yesOrNo, 'Decide by what was read before; for `report`', { default: false }),
          resume: setting(yesOrNo, 'Go on where the last one was interrupted; for `extract`', { default: false }),
          to: setting(
            z.enum(['csv', 'json']),
            '`csv` or `json`: files beside the warehouse; for `publish`, together with `dir`',
            { without: 'the warehouse alone' },
          ),
          dir: setting(nonEmptyText, 'The folder of those files; for `publish`, together with `to`'),
        }),
      }),
    ),
  },
);

export const WATCHING = section(
  'Heartbeat and log',
  {},
  {
    heartbeat: group({
      url: setting(
        address,
        'Told by `pacekeeper schedule` when a job begins (`/start` behind it), is done, and fails (`/fail` behind it), so that somebody else notices when nothing runs any more; https, or http on this machine. `{job}` in it stands for the name of the job. Who has the address can speak for it: it is treated as a secret.',
        { env: ['HEARTBEAT_URL'], secrecy: 'secret' },
      ),
    }),
    log: group({
      format: setting(
        z.enum(['text', 'json']),
        'How progress and warnings are written to stderr: `text` for people, `json` for one object a line',
        { env: ['PACEKEEPER_LOG'], without: '`text`; `json` for `schedule` unless a terminal reads it' },
      ),
    }),
  },
);
