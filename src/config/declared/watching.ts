import * as z from 'zod';
import { group, section, setting } from './declare.ts';
import { address } from './forms.ts';

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
