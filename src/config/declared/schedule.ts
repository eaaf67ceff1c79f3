import * as z from 'zod';
import { customerId } from '../../domain/ids.ts';
import { group, list, section, setting } from '../../language/settings/declare.ts';
import { address, queryName, shortName } from '../../language/settings/forms.ts';
import {
  customerIdText,
  nonEmptyText,
  oneOrMany,
  timeZone,
  wholeNumber,
  yesOrNo,
} from '../../language/yaml/scalars.ts';

export const SCHEDULE = section(
  'Schedule',
  { before: ['A list of jobs for `pacekeeper schedule`, on either target.'] },
  {
    schedule: list(
      group({
        name: setting(shortName(), 'Unique short name in lower-case letters', {
          required: true,
        }),
        cron: setting(
          nonEmptyText,
          'Minute, hour, day of the month, month and day of the week: `30 5 * * *`, `0 6 * * mon-fri`',
          { required: true },
        ),
        time_zone: setting(timeZone, 'Time zone of `cron`: `Europe/Berlin`', {
          default: 'UTC',
        }),
        job: setting(
          z.enum(['report', 'extract', 'deliver', 'publish']),
          'Command to run: `report`, `extract`, `deliver` (waiting alerts) or `publish`',
          { required: true },
        ),
        retry: group({
          times: setting(wholeNumber(0, 10), 'How often a job runs again if it failed as a whole; 0 turns this off', {
            default: 3,
          }),
          within_minutes: setting(wholeNumber(1, 1440), 'Time for all retries, from the first start', { default: 120 }),
        }),
        options: group({
          query: setting(oneOrMany(queryName), 'Only these queries; for `report` and `extract`', { without: 'all' }),
          customer: setting(
            oneOrMany(customerIdText.transform(customerId)),
            'Only these accounts; for `report` and `extract`',
            { without: 'all' },
          ),
          dry_run: setting(yesOrNo, 'Decide, but change nothing; for `report`', { default: false }),
          no_extract: setting(yesOrNo, 'Decide on stored rows without reading new ones; for `report`', {
            default: false,
          }),
          resume: setting(yesOrNo, 'Continue an interrupted extract; for `extract`', { default: false }),
          to: setting(
            z.enum(['csv', 'json']),
            'Also write files: `csv` or `json`; only for `publish`, and only with `dir`',
            { without: 'only the warehouse' },
          ),
          dir: setting(nonEmptyText, 'Folder for the files that `to` adds; only for `publish`, and only with `to`'),
        }),
      }),
    ),
  },
);

export const WATCHING = section(
  'Watching and log',
  {},
  {
    watch: group({
      complete_run_hours: setting(
        wholeNumber(1, 24 * 31),
        'Hours after which a missing complete report is an alert of `pacekeeper watch`',
        { default: 26 },
      ),
      publication_hours: setting(wholeNumber(1, 24 * 31), 'Hours after which an old published file is an alert', {
        default: 26,
      }),
      frozen_days: setting(wholeNumber(1, 365), 'Days after which frozen budgets are an alert', { default: 3 }),
      version_days: setting(
        wholeNumber(1, 365),
        'Days before the end of the version of the advertising interface from which it is an alert',
        { default: 30 },
      ),
    }),
    heartbeat: group({
      url: setting(
        address,
        'Monitoring address. `pacekeeper schedule` and `report` call it when a job begins (`/start` appended), ends, or fails (`/fail` appended). `{job}` stands for the name of the job, or `report`. The address is a secret.',
        { env: ['HEARTBEAT_URL'], secrecy: 'secret' },
      ),
    }),
    log: group({
      format: setting(
        z.enum(['text', 'json']),
        'Format of progress and warnings on stderr: `text` for people, `json` for one object a line',
        { env: ['PACEKEEPER_LOG'], without: '`text`; `json` for `schedule` without a terminal' },
      ),
    }),
  },
);
