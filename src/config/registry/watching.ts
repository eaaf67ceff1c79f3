import type { SettingSection } from './setting.ts';

export const WATCHING: SettingSection = {
  title: 'Heartbeat and log',
  areas: ['heartbeat', 'log'],
  before: [],
  settings: [
    {
      path: 'heartbeat.url',
      env: ['HEARTBEAT_URL'],
      default: 'none',
      value: 'secret',
      meaning:
        'Told by `pacekeeper schedule` when a job begins (`/start` behind it), is done, and fails (`/fail` behind it), so that somebody else notices when nothing runs any more; https, or http on this machine. `{job}` in it stands for the name of the job. Who has the address can speak for it: it is treated as a secret.',
    },
    {
      path: 'log.format',
      env: ['PACEKEEPER_LOG'],
      default: '`text`; `json` for `schedule` unless a terminal reads it',
      value: 'shown',
      meaning: 'How progress and warnings are written to stderr: `text` for people, `json` for one object a line',
    },
  ],
};
